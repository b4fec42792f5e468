func @test(%arg0: i1, %arg1: f32, %arg2: f32) {
%x = loop.if %arg0 {
%x1 = addf %arg1, %arg2 : (f32, f32) -> f32
loop.yield %x1 : f32
} else {
%x2 = subf %arg1, %arg2 : (f32, f32) -> f32
loop.yield %x2 : f32
} : (i1) -> f32
return %x : () -> f32
}
func @t2(%arg0: i1, %arg1: f32, %arg2: f32) -> f32 {
cond_br %arg0, ^thenBlock, ^elseBlock
^thenBlock:
%x1 = addf %arg1, %arg2 : f32
br ^continueBlock(%x1)
^elseBlock:
%x2 = subf %arg1, %arg2 : f32
br ^continueBlock(%x2 : f32)
^continueBlock(%x : f32):
return %x : f32
}
