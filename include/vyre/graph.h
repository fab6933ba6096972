// Graph programs: functions that run over the vertices and edges of a graph, round after round.
// Make a FrontierProgram from WGSL text, a Graph from compressed sparse rows, prepare the two on a
// session and run them. Needs the library vyre::engine; docs/graphs.md explains what a program may
// do.
#pragma once

#include "vyre/data/graph/graph.h"
#include "vyre/frontier/frontier.h"
