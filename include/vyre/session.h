// Compile kernels for a device and launch them there. Needs the library vyre::engine.
#pragma once

#include "vyre/engine/session.h"
