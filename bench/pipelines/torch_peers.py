"""Times what torch.compile makes of the pipelines, on this machine's GPU.

python3 torch_peers.py [--wait FILE]      with --wait: compiles, then waits for FILE before timing

Prints the microseconds of a run: the median of 30 batches of CUDA graph replays, by events.
"""
import os
import sys
import time

import torch


def chain(x):
    return torch.minimum((x * 0.5 + 3.0) * 0.5, torch.tensor(1000.0, device="cuda"))


def normalise(x):
    return x * torch.rsqrt((x * x).mean(dim=1, keepdim=True) + 1e-5)


def normalise_weigh(x, weights):
    return normalise(x) * weights


def add_normalise(x, residual):
    total = x + residual
    return total, normalise(total)


def main():
    large = torch.rand(64 << 20, device="cuda")
    rows = torch.rand(8192, 4096, device="cuda")
    other = torch.rand(8192, 4096, device="cuda")
    cases = [
        ("chain", chain, (large,)),
        ("normalise_weigh", normalise_weigh, (rows, other[0].contiguous())),
        ("add_normalise", add_normalise, (rows, other)),
    ]
    ready = []
    for name, function, arguments in cases:
        compiled = torch.compile(function)
        for _ in range(3):
            result = compiled(*arguments)
        for ours, theirs in zip([result] if torch.is_tensor(result) else result,
                                [function(*arguments)] if torch.is_tensor(result)
                                else function(*arguments)):
            torch.testing.assert_close(ours, theirs)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            compiled(*arguments)
        ready.append((name, graph))
    if sys.argv[1:2] == ["--wait"]:
        while not os.path.exists(sys.argv[2]):
            time.sleep(0.05)
    for name, graph in ready:
        times = []
        for _ in range(30):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            for _ in range(20):
                graph.replay()
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end) * 1000 / 20)
        print(f"{name} {sorted(times)[len(times) // 2]:.1f} us")


main()
