#include "statictramp.h"
#include "statictramp_interop.h"
