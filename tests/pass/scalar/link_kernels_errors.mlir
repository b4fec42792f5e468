// RUN: noria opt --link-kernels --verify-diagnostics %s

// expected-error@+1 {{the library has no kernel 'serchsorted'; did you mean 'searchsorted'?}}
func.func private @noria.serchsorted.f32(tensor<?xf32>, tensor<?xf32>, i1) -> tensor<?xi64>
// expected-error@+1 {{'' is no type of elements; expected noria.topk.TYPE with f16, bf16, f32, f64, i8 to i64 or ui8 to ui64}}
func.func private @noria.topk(tensor<?x?x?xf32>, index) -> (tensor<?x?x?xf32>, tensor<?x?x?xi64>)
// expected-error@+1 {{'f31' is no type of elements}}
func.func private @noria.searchsorted.f31(tensor<?xf32>, tensor<?xf32>, i1) -> tensor<?xi64>
// expected-error@+1 {{expected noria.searchsorted.f32 or noria.searchsorted.f32.descending}}
func.func private @noria.searchsorted.f32.up(tensor<?xf32>, tensor<?xf32>, i1) -> tensor<?xi64>
// expected-error@+1 {{expected noria.searchsorted.f32 or noria.searchsorted.f32.descending}}
func.func private @noria.searchsorted.f32.descending.more(tensor<?xf32>, tensor<?xf32>, i1) -> tensor<?xi64>
// expected-error@+1 {{the kernel has the type (tensor<?xf64>, tensor<?xf64>, i1) -> tensor<?xi64>, not (tensor<4xf64>, tensor<?xf64>, i1) -> tensor<?xi64>}}
func.func private @noria.searchsorted.f64(tensor<4xf64>, tensor<?xf64>, i1) -> tensor<?xi64>
// expected-error@+1 {{expected noria.csr_spmv.f64.i32 or noria.csr_spmv.f64.i64}}
func.func private @noria.csr_spmv.f64(tensor<?xi32>, tensor<?xi32>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// expected-error@+1 {{expected noria.csr_spmv.f64.i32 or noria.csr_spmv.f64.i64}}
func.func private @noria.csr_spmv.f64.i16(tensor<?xi16>, tensor<?xi16>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// expected-error@+1 {{the library has no kernel 'csr_merge'}}
func.func private @noria.csr_merge.f64.i32(tensor<?xf64>)
// expected-error@+1 {{expected noria.nms.f32 or noria.nms.f32.centre}}
func.func private @noria.nms.f64(tensor<?x?x4xf32>, tensor<?x?x?xf32>, index, f32, f32, i1) -> tensor<?x3xi64>
// expected-error@+1 {{expected noria.merge.f32 or noria.merge.f32.descending}}
func.func private @noria.merge.f32.checked.descending(tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
// expected-error@+1 {{the library has no kernel 'merge_path'}}
func.func private @noria.merge_path.f32(tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
