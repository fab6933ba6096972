// Tune your own kernels while the program runs: CUDA, HIP, OpenCL, OpenMP or plain loops. Needs the
// library vyre::vyre and nothing else; docs/tuning-your-own-kernels.md has the contract.
//
//   auto candidates = vyre::combinations({{"block", {64, 128, 256}}, {"unroll", {1, 2, 4}}});
//   auto tuner = vyre::KernelTuner::open({.name = "transpose", .size = "4096"}, *candidates);
//   while (working) {
//     auto call = tuner->timed();
//     transpose(*call.number("block"), *call.number("unroll"));
//   }
//
// Where the program measures the time itself, for example with CUDA events:
//
//   const vyre::KernelCall call = tuner->next();
//   launch(call.choice.index());
//   if (call.timed) ...  // and when its time is known: tuner->report(call, ns);
//
// EvidenceStore keeps what is learned, by default in the file evidence_path().
#pragma once

#include "vyre/tune/foreign/kernel_tuner.h"
