// Tune kernels of your own, while they work: CUDA, HIP, OpenCL, OpenMP or plain loops. Needs the
// library vyre::vyre and nothing else; docs/tuning-your-own-kernels.md has the contract.
//
//   auto candidates = vyre::combinations({{"block", {64, 128, 256}}, {"unroll", {1, 2, 4}}});
//   auto tuner = vyre::KernelTuner::open({.name = "transpose", .size = "4096"}, *candidates);
//   while (working) {
//     auto call = tuner->timed();
//     transpose(*call.number("block"), *call.number("unroll"));
//   }
//
// Where the time comes from elsewhere, as from CUDA's events:
//
//   const vyre::KernelCall call = tuner->next();
//   ...run it; if (call.timed) once its time is known: tuner->report(call, ns);
//
// The store of what is learned: EvidenceStore, evidence_path().
#pragma once

#include "vyre/tune/foreign/kernel_tuner.h"
