// The door: what a program that uses vyre includes.
#pragma once

#include "vyre/base/error.h"
#include "vyre/base/version.h"
