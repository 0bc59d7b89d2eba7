//! Rules of Reno as Linux counts it.

use narrows_cc::Cause;
use narrows_cc::window::reno_linux::RenoLinux;
use narrows_cc::window::{Window, WindowRule};

use crate::path;
