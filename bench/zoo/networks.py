"""Small networks of kinds that torchvision does not have."""

import math

import torch
from torch import nn
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop
from torch.nn import functional as F


def heads(x, count):
    """[batch, length, width] to [batch, count, length, width / count]."""
    return x.view(x.shape[0], x.shape[1], count, -1).transpose(1, 2)


def join(x):
    return x.transpose(1, 2).flatten(2)


class GreedyDecoder(nn.Module):
    """A GPT of two layers that appends the likeliest token until token 0 comes or the buffer is full; keys and values
    are carried."""

    def __init__(self, vocabulary=300, width=128, layers=2, count=4, length=48):
        super().__init__()
        self.length, self.count, self.layers = length, count, layers
        self.embed, self.place = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.qkv = nn.ModuleList(nn.Linear(width, 3 * width) for _ in range(layers))
        self.out = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))
        self.up = nn.ModuleList(nn.Linear(width, 4 * width) for _ in range(layers))
        self.down = nn.ModuleList(nn.Linear(4 * width, width) for _ in range(layers))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2 * layers + 1))

    def step(self, token, at, keys, values):
        x = self.embed(token) + self.place(at)  # [1, width]
        seen = (torch.arange(self.length) <= at)[None, None]
        here = (torch.arange(self.length) == at)[None, :, None]
        new_keys, new_values = [], []
        for i in range(self.layers):
            q, k, v = (t.view(self.count, 1, -1) for t in self.qkv[i](self.norms[2 * i](x)).chunk(3, -1))
            k, v = torch.where(here, k, keys[i]), torch.where(here, v, values[i])
            new_keys.append(k)
            new_values.append(v)
            scores = (q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])).masked_fill(~seen, -1e9)
            x = x + self.out[i]((scores.softmax(-1) @ v).view(1, -1))
            x = x + self.down[i](F.gelu(self.up[i](self.norms[2 * i + 1](x))))
        return (self.norms[-1](x) @ self.embed.weight.T).argmax(-1), torch.stack(new_keys), torch.stack(new_values)

    def forward(self, prompt):
        given = prompt.shape[1]
        tokens = F.pad(prompt[0], (0, self.length - given))
        cache = torch.zeros(self.layers, self.count, self.length, self.embed.embedding_dim // self.count)

        def going(at, tokens, keys, values):
            return ((at + 1 < self.length) & ((tokens.index_select(0, at) != 0) | (at < given))).squeeze(0)

        def step(at, tokens, keys, values):
            token, keys, values = self.step(tokens.index_select(0, at), at, keys, values)
            is_next = (torch.arange(self.length) == at + 1) & (at + 1 >= given)
            return at + 1, torch.where(is_next, token, tokens), keys, values

        at = torch.zeros(1, dtype=torch.int64)
        at, tokens, _, _ = while_loop(going, step, (at, tokens, cache, cache.clone()))
        return tokens, at


class LlamaBlock(nn.Module):
    """RMS norm, grouped-query attention with rotary embedding and a key-value cache, and a gated MLP."""

    def __init__(self, width=256, count=8, kv_heads=2):
        super().__init__()
        self.width, self.count, self.kv_heads, self.head = width, count, kv_heads, width // count
        self.q, self.o = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.k, self.v = (nn.Linear(width, kv_heads * self.head, bias=False) for _ in range(2))
        self.gate, self.up = (nn.Linear(width, 688, bias=False) for _ in range(2))
        self.down = nn.Linear(688, width, bias=False)
        self.norm1, self.norm2 = nn.Parameter(torch.ones(width)), nn.Parameter(torch.ones(width))

    def rms(self, x, weight):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * weight

    def rotate(self, x, first):
        place = first + torch.arange(x.shape[2], dtype=torch.float32)
        angle = place[:, None] * (10000 ** (-torch.arange(0, self.head, 2) / self.head))[None]
        cos, sin = torch.cat([angle.cos()] * 2, -1), torch.cat([angle.sin()] * 2, -1)
        a, b = x.chunk(2, -1)
        return x * cos + torch.cat([-b, a], -1) * sin

    def forward(self, x, past_key, past_value):
        first = past_key.shape[2]
        h = self.rms(x, self.norm1)
        q = self.rotate(heads(self.q(h), self.count), first)
        key = torch.cat([past_key, self.rotate(heads(self.k(h), self.kv_heads), first)], 2)
        value = torch.cat([past_value, heads(self.v(h), self.kv_heads)], 2)
        k, v = (t.repeat_interleave(self.count // self.kv_heads, 1) for t in (key, value))
        length = x.shape[1]
        mask = torch.arange(first + length)[None] <= first + torch.arange(length)[:, None]
        x = x + self.o(join(F.scaled_dot_product_attention(q, k, v, attn_mask=mask)))
        h = self.rms(x, self.norm2)
        return x + self.down(F.silu(self.gate(h)) * self.up(h)), key, value


class T5Attention(nn.Module):
    def __init__(self, width, count, bias):
        super().__init__()
        self.count = count
        self.q, self.k, self.v, self.o = (nn.Linear(width, width, bias=False) for _ in range(4))
        self.bias = nn.Embedding(32, count) if bias else None

    def forward(self, x, source, causal):
        q, k, v = heads(self.q(x), self.count), heads(self.k(source), self.count), heads(self.v(source), self.count)
        scores = q @ k.transpose(-1, -2)
        apart = torch.arange(source.shape[1])[None] - torch.arange(x.shape[1])[:, None]
        if self.bias is not None:
            far = 8 + (torch.log(apart.abs().float().clamp(min=1) / 8) / math.log(16) * 8).long().clamp(max=7)
            bucket = torch.where(apart.abs() < 8, apart.abs(), far) + 16 * (apart > 0)
            scores = scores + self.bias(bucket).permute(2, 0, 1)
        if causal:
            scores = scores.masked_fill(apart > 0, -1e9)
        return self.o(join(scores.softmax(-1) @ v))


class T5(nn.Module):
    """Two encoder and two decoder layers in the style of T5."""

    def __init__(self, vocabulary=1000, width=128, count=4):
        super().__init__()
        self.embed, self.head = nn.Embedding(vocabulary, width), nn.Linear(width, vocabulary, bias=False)
        self.encoder = nn.ModuleList(T5Attention(width, count, True) for _ in range(2))
        self.decoder = nn.ModuleList(T5Attention(width, count, True) for _ in range(2))
        self.cross = nn.ModuleList(T5Attention(width, count, False) for _ in range(2))
        self.up = nn.ModuleList(nn.Linear(width, 4 * width, bias=False) for _ in range(4))
        self.down = nn.ModuleList(nn.Linear(4 * width, width, bias=False) for _ in range(4))

    @staticmethod
    def norm(x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)

    def mlp(self, i, x):
        return x + self.down[i](F.relu(self.up[i](self.norm(x))))

    def forward(self, source, target):
        x, y = self.embed(source), self.embed(target)
        for i, layer in enumerate(self.encoder):
            x = self.mlp(i, x + layer(self.norm(x), self.norm(x), False))
        x = self.norm(x)
        for i, layer in enumerate(self.decoder):
            y = y + layer(self.norm(y), self.norm(y), True)
            y = self.mlp(2 + i, y + self.cross[i](self.norm(y), x, False))
        return self.head(self.norm(y))


class Tagger(nn.Module):
    """An LSTM in both directions, then a GRU."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(500, 64)
        self.lstm = nn.LSTM(64, 64, 2, batch_first=True, bidirectional=True)
        self.gru = nn.GRU(128, 64, batch_first=True)
        self.out = nn.Linear(64, 17)

    def forward(self, tokens):
        return self.out(self.gru(self.lstm(self.embed(tokens))[0])[0])


def convolution(inputs, outputs, stride=1):
    return nn.Sequential(nn.Conv2d(inputs, outputs, 3, stride, 1), nn.BatchNorm2d(outputs), nn.ReLU())


class Crnn(nn.Module):
    """Reads a line of text: convolutions, then an LSTM along the width."""

    def __init__(self):
        super().__init__()
        self.convolutions = nn.Sequential(
            convolution(1, 32),
            nn.MaxPool2d(2),
            convolution(32, 64),
            nn.MaxPool2d(2),
            convolution(64, 128),
            convolution(128, 128),
            nn.MaxPool2d((2, 1)),
            convolution(128, 256),
            nn.MaxPool2d((2, 1)),
            nn.Conv2d(256, 256, 2),
        )
        self.lstm = nn.LSTM(256, 128, 2, bidirectional=True)
        self.out = nn.Linear(256, 40)

    def forward(self, image):
        x = self.convolutions(image).squeeze(2).permute(2, 0, 1)
        return self.out(self.lstm(x)[0]).log_softmax(-1)


class UNet(nn.Module):
    """Halves the picture twice and enlarges it again, by interpolation and by a transposed convolution."""

    def __init__(self):
        super().__init__()
        self.down1, self.down2, self.middle = convolution(3, 16), convolution(16, 32, 2), convolution(32, 64, 2)
        self.up1, self.up2 = nn.ConvTranspose2d(64, 32, 2, 2), convolution(64, 16)
        self.last = nn.Conv2d(32, 2, 1)

    def forward(self, image):
        a = self.down1(image)
        b = self.down2(a)
        c = self.up2(torch.cat([self.up1(self.middle(b)), b], 1))
        c = F.interpolate(c, size=a.shape[2:], mode="bilinear", align_corners=False)
        return self.last(torch.cat([c, a], 1)).sigmoid()


class SelectiveScan(nn.Module):
    """The recurrence of a Mamba layer, by torch's scan."""

    def __init__(self, width=32, state=16):
        super().__init__()
        self.decay = nn.Parameter(-torch.rand(width, state))
        self.dt, self.b, self.c = nn.Linear(width, width), nn.Linear(width, state), nn.Linear(width, state)

    def forward(self, x):
        dt, b, c = F.softplus(self.dt(x)), self.b(x), self.c(x)

        def step(h, row):
            dt, b, c, x = row
            h = torch.exp(dt[:, None] * self.decay) * h + (dt * x)[:, None] * b[None]
            return h, (h * c[None]).sum(-1)

        return scan(step, torch.zeros_like(self.decay), (dt, b, c, x))[1]
