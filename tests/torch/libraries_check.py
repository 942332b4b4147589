"""One PyTorch on the doubles of cuBLAS, cuDNN, cuFFT and NVRTC: every operator below runs, each library's kernel has the name it
has on such a device, and torch.profiler links it to the operator that asked for it. Argument: the capability, 80 or 90."""

import sys
import time
import warnings

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.profiler import ProfilerActivity, profile

GPU = torch.device("cuda")
NEW = sys.argv[1] == "90"
BF16 = torch.bfloat16
warnings.simplefilter("ignore")


def ones(*shape, dtype=torch.float32, grad=False):
    return torch.ones(*shape, dtype=dtype).to(GPU).requires_grad_(grad)


def launched(run):
    """Operator -> names of the kernels it launched."""
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as seen:
        run()
        torch.cuda.synchronize()
    return {event.name: [kernel.name for kernel in event.kernels] for event in seen.events() if event.kernels}


def has(run, operator, *texts):
    """An operator whose name ends like that launched kernels with these texts in their names."""
    found = launched(run)
    names = [name for who in found if who.endswith(operator) for name in found[who]]
    assert names, (operator, sorted(found))
    for text in texts:
        assert any(text in name for name in names), (text, names)


def products():
    for dtype, old, new in [(torch.float32, "ampere_sgemm_", "sm80_xmma_gemm_f32f32_f32f32_f32_"),
                            (torch.float16, "ampere_fp16_s16816gemm_", "nvjet_hsh_"),
                            (BF16, "ampere_bf16_s16816gemm_", "nvjet_tst_"),
                            (torch.float64, "d884gemm_", "d884gemm_"),
                            (torch.complex64, "ampere_cgemm_", "ampere_cgemm_")]:
        a, b = ones(256, 128, dtype=dtype), ones(128, 64, dtype=dtype)
        has(lambda: a @ b, "aten::mm", new if NEW else old)
        has(lambda: torch.bmm(a[None], b[None]), "aten::bmm", "gemm_" if not NEW else "")
        torch.addmm(ones(64, dtype=dtype), a, b)
        torch.baddbmm(ones(1, 256, 64, dtype=dtype), a[None], b[None])
    has(lambda: torch.dot(a[0], a[1]), "aten::dot", "dot_kernel", "reduce_1Block_kernel")
    has(lambda: torch.mv(a, b[:, 0]), "aten::addmv_", "gemv2")
    assert torch._int_mm(ones(32, 32, dtype=torch.int8), ones(32, 32, dtype=torch.int8)).dtype == torch.int32
    assert torch.linalg.solve_triangular(ones(8, 8), ones(8, 4), upper=True).shape == (8, 4)
    torch.backends.cuda.matmul.allow_tf32 = True
    has(lambda: ones(256, 256) @ ones(256, 256), "aten::mm", "nvjet_sss_" if NEW else "s1688gemm_")
    torch.backends.cuda.matmul.allow_tf32 = False


def linear():
    layer = nn.Linear(256, 512).to(GPU, BF16)
    x = ones(64, 256, dtype=BF16, grad=True)
    has(lambda: layer(x), "aten::addmm", "_bias_T" if NEW else "_relu_f2f_")
    has(lambda: layer(x).sum().backward(), "aten::mm", "nvjet_tst_" if NEW else "ampere_bf16_s16816gemm_bf16_")


def eight_bits():
    a, b = (ones(32, 32).to(torch.float8_e4m3fn) for _ in range(2))
    try:
        torch._scaled_mm(a, b.t(), scale_a=ones(1).view(()), scale_b=ones(1).view(()), out_dtype=BF16)
    except RuntimeError as error:
        assert not NEW and "capability" in str(error), error
    else:
        assert NEW


def attention():
    q, k, v = (ones(2, 4, 64, 64, dtype=BF16, grad=True) for _ in range(3))
    for backend in SDPBackend.MATH, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.FLASH_ATTENTION:
        with sdpa_kernel(backend):
            F.scaled_dot_product_attention(q, k, v, is_causal=True).sum().backward()
    with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
        begin = "cudnn_generated_fort_native_sdpa_sm" + ("90" if NEW else "80")
        has(lambda: F.scaled_dot_product_attention(q, k, v), "_cudnn_attention_forward", begin, "_fprop_")
        out = F.scaled_dot_product_attention(q, k, v).sum()
        has(out.backward, "_cudnn_attention_backward", begin, "_bprop_")


def convolutions():
    for dims, kind in (1, nn.Conv1d), (2, nn.Conv2d), (3, nn.Conv3d), (2, nn.ConvTranspose2d):
        layer = kind(8, 16, 3).to(GPU)
        layer(ones(2, 8, *[8] * dims, grad=True)).sum().backward()
    layer, x = nn.Conv2d(8, 16, 3, padding=1).to(GPU), ones(2, 8, 16, 16, grad=True)
    begin = "sm90_xmma_" if NEW else "sm80_xmma_"
    has(lambda: layer(x), "aten::cudnn_convolution", begin + "fprop_implicit_gemm_")
    has(lambda: layer(x).sum().backward(), "aten::convolution_backward", begin + "dgrad_", begin + "wgrad_")
    layer.to(memory_format=torch.channels_last)
    x = x.detach().to(memory_format=torch.channels_last)
    has(lambda: layer(x), "aten::cudnn_convolution", "_nhwckrsc_nhwc_")
    with torch.backends.cudnn.flags(enabled=True, benchmark=True):
        layer(x)
    with torch.backends.cudnn.flags(enabled=False):
        found = launched(lambda: layer(x))
        assert "aten::cudnn_convolution" not in found, sorted(found)


def norms():
    layer, x = nn.BatchNorm2d(8).to(GPU), ones(4, 8, 6, 6, grad=True)
    has(lambda: layer(x), "aten::cudnn_batch_norm", "bn_fw_tr_1C11_kernel_NCHW")
    has(lambda: layer(x).sum().backward(), "aten::cudnn_batch_norm_backward", "bn_bw_1C11_kernel_new")
    with torch.backends.cudnn.flags(enabled=False):
        layer(x).sum().backward()


def recurrent():
    steps, batch = 6, 3
    for kind, cell in (nn.LSTM, "LSTM"), (nn.GRU, "GRU"), (nn.RNN, "RNN"):
        for dtype in torch.float32, torch.float16:
            x = ones(steps, batch, 8, dtype=dtype, grad=True)
            for width, forward, backward in (16, "RNN_blockPersist_fp_" + cell, "RNN_blockPersist_bp_" + cell), \
                                            (640, "elemWiseRNNcell", cell + "_elementWise_bp1"):
                layer = kind(8, width, num_layers=2, dropout=0.5, bidirectional=True).to(GPU, dtype)
                has(lambda: layer(x)[0], "aten::_cudnn_rnn", forward, "gemm_")
                has(lambda: layer(x)[0].sum().backward(), "aten::_cudnn_rnn_backward", backward, "gemm_")
    layer = nn.LSTM(8, 16, batch_first=True, proj_size=4).to(GPU)
    x = nn.utils.rnn.pack_padded_sequence(ones(4, 5, 8), torch.tensor([2, 5, 1, 3]), batch_first=True, enforce_sorted=False)
    out, (h, c) = layer(x)
    out, lengths = nn.utils.rnn.pad_packed_sequence(out, batch_first=True)
    assert out.shape == (4, 5, 4) and h.shape == (1, 4, 4) and c.shape == (1, 4, 16)
    out.sum().backward()
    with torch.no_grad(), torch.autocast("cuda", torch.float16):
        assert nn.GRU(8, 16).to(GPU)(ones(steps, batch, 8))[0].dtype == torch.float16


def transforms():
    for n in 257, 1000, 8192:
        x = ones(4, n, grad=True)
        has(lambda: torch.fft.rfft(x).abs().sum().backward(), "aten::_fft_r2c", "fft", "postprocess_kernel")
        assert torch.fft.irfft(torch.fft.rfft(x), n=n).shape == x.shape
    has(lambda: torch.fft.fft2(ones(3, 32, 32)), "aten::_fft_c2c", "regular_fft<32u,")
    window = torch.hann_window(400).to(GPU)
    assert torch.stft(ones(2, 4000), 400, window=window, return_complex=True).shape == (2, 201, 41)
    for i in range(50):  # plans are kept
        torch.fft.fft(ones(i + 1))


def compiled_operators():
    x = ones(4, dtype=torch.int32)
    has(lambda: torch.gcd(x, x), "aten::gcd", "")
    jit = torch.cuda.jiterator._create_jit_fn("template <typename T> T my_op(T x, T y) { return x + y; }")
    assert jit(ones(4), ones(4)).shape == (4,)


def mixed_precision():
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(288, 10)).to(GPU)
    optimizer, scaler = torch.optim.AdamW(model.parameters(), fused=True), torch.amp.GradScaler("cuda")
    for _ in range(3):
        with torch.autocast("cuda", torch.float16):
            loss = model(torch.randn(2, 3, 8, 8, device=GPU)).float().mean()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()


def graphs():
    model, x = nn.Sequential(nn.Conv2d(3, 8, 3), nn.Flatten(), nn.Linear(288, 10)).to(GPU), ones(2, 3, 8, 8)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        model(x).sum().backward()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        model(x).sum().backward()
    for _ in range(3):
        graph.replay()


def refusals():
    """What is not modelled is an error, and the library works on."""
    of_ints = torch.ones(6, dtype=torch.int32), torch.full((2,), 8, dtype=torch.int32), torch.full((2,), 3, dtype=torch.int32)
    scores = ones(8, 2, 5, grad=True)
    try:
        F.ctc_loss(scores.log_softmax(2), *of_ints)
    except RuntimeError as error:
        assert "CUDNN_STATUS_NOT_SUPPORTED" in str(error), error
    else:
        raise AssertionError("cuDNN's CTC works")
    F.ctc_loss(scores.log_softmax(2), *[x.long() for x in of_ints]).backward()


def main():
    checks = [products, linear, eight_bits, attention, convolutions, norms, recurrent, transforms, compiled_operators, mixed_precision, graphs, refusals]
    for check in checks:
        check()
        torch.cuda.synchronize()
    time.sleep(0.3)  # a thread of autograd that ends with the interpreter aborts the process
    print(f"PyTorch {torch.__version__}, capability {sys.argv[1]}: {len(checks)} checks")


main()
