// Several kernels as one piece of work: write a pipeline with PipelineBuilder, or read one from a
// file, and run it on a session. Needs the library vyre::engine; docs/pipelines.md explains it.
#pragma once

#include "vyre/engine/pipeline/prepared_pipeline.h"
#include "vyre/pipeline/pipeline_file.h"
