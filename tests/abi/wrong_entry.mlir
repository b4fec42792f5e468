// What a program in text says of its inputs and outputs must be true of their types: the runtime checks by it.
// RUN: noria opt --wrap-entry %s --split-input-file --verify-diagnostics

// expected-error@+1 {{is a program's entry, so that 'noria.inputs' needs a dictionary for each of 2 values}}
func.func @nothing(%a: tensor<3xf32>, %b: i64) -> i64 attributes {noria.entry} {
  return %b : i64
}

// -----

// expected-error@+1 {{is a program's entry, so that 'noria.outputs' needs a dictionary for each of 1 values}}
func.func @no_outputs(%a: tensor<3xf32>) -> tensor<3xf32>
    attributes {noria.entry, noria.inputs = [{name = "a", dtype = 1 : i64, dims = array<i64: 3>}]} {
  return %a : tensor<3xf32>
}

// -----

// expected-error@+1 {{is a program's entry, but entry 0 of 'noria.inputs' does not describe type tensor<3xf64>}}
func.func @smaller_elements(%a: tensor<3xf64>)
    attributes {noria.entry, noria.inputs = [{name = "a", dtype = 1 : i64, dims = array<i64: 3>}], noria.outputs = []} {
  return
}

// -----

// expected-error@+1 {{is a program's entry, but entry 0 of 'noria.inputs' does not describe type tensor<300xf32>}}
func.func @fewer_elements(%a: tensor<300xf32>)
    attributes {noria.entry, noria.inputs = [{name = "a", dtype = 1 : i64, dims = array<i64: -1>}], noria.outputs = []} {
  return
}

// -----

// expected-error@+1 {{is a program's entry, but entry 0 of 'noria.inputs' does not describe type tensor<?x3xf32>}}
func.func @other_rank(%a: tensor<?x3xf32>)
    attributes {noria.entry, noria.inputs = [{name = "a", dtype = 1 : i64, dims = array<i64: 3>}], noria.outputs = []} {
  return
}

// -----

// expected-error@+1 {{is a program's entry, but entry 0 of 'noria.inputs' does not describe type tensor<?xf32>}}
func.func @sequence(%a: tensor<?xf32>)
    attributes {noria.entry, noria.inputs = [{name = "a", kind = 1 : i64, dtype = 1 : i64}], noria.outputs = []} {
  return
}

// -----

// expected-error@+1 {{requires entry 0 of 'noria.inputs' to be a dictionary of a name, a type, dims and as many dim_names}}
func.func @no_dictionary(%a: tensor<?xf32>) attributes {noria.entry, noria.inputs = [1], noria.outputs = []} {
  return
}

// -----

func.func @right(%a: tensor<?x3xf32>) -> tensor<2xi8>
    attributes {noria.entry, noria.inputs = [{name = "a", dtype = 1 : i64, dims = array<i64: -1, 3>}],
                noria.outputs = [{name = "b", dtype = 2 : i64, dims = array<i64: 2>}]} {
  %b = arith.constant dense<1> : tensor<2xi8>
  return %b : tensor<2xi8>
}

// -----

// A model's outputs get their types when it is lowered; only the list's form is checked before.
func.func @model(%a: tensor<2xf32>) -> none
    attributes {noria.entry, noria.inputs = [{name = "a", dtype = 1 : i64, dims = array<i64: 2>}],
                noria.outputs = [{name = "b", dtype = 0 : i64, dims = array<i64>}]} {
  %b = "onnx.Neg"(%a) : (tensor<2xf32>) -> none
  "onnx.Yield"(%b) : (none) -> ()
}

// -----

// expected-error@+1 {{requires entry 0 of 'noria.outputs' to be a dictionary of a name, a type, dims and as many dim_names}}
func.func @wrong_model(%a: tensor<2xf32>) -> none attributes {noria.entry, noria.outputs = [7]} {
  "onnx.Yield"(%a) : (tensor<2xf32>) -> ()
}

// -----

// expected-error@+1 {{requires 'noria.inputs' to be an array of dictionaries}}
func.func @no_list() attributes {noria.entry, noria.inputs = 7, noria.outputs = []} {
  return
}

// -----

// expected-error@+1 {{requires entry 0 of 'noria.inputs' to be a dictionary of a name, a type, dims and as many dim_names}}
func.func @wrong_name(%a: i64) attributes {noria.entry, noria.inputs = [{name = 3}]} {
  return
}

// -----

// expected-error@+1 {{requires entry 0 of 'noria.inputs' to be a dictionary of a name, a type, dims and as many dim_names}}
func.func @more_names(%a: tensor<?xf32>)
    attributes {noria.entry, noria.inputs = [{dims = array<i64: -1>, dim_names = ["a", "b"]}]} {
  return
}

// -----

// expected-error@+1 {{requires 'noria.warn_symbols' to be an array of strings}}
func.func @wrong_symbols() attributes {noria.warn_symbols = [1]} {
  return
}

// -----

// expected-error@+1 {{requires entry 0 of 'noria.inputs' to be a dictionary of a name, a type, dims and as many dim_names}}
func.func @no_type(%a: tensor<?xf32>)
    attributes {noria.entry, noria.inputs = [{dtype = 1 : i64, dims = array<i64: -1>, type = 7}], noria.outputs = []} {
  return
}

// -----

// The tools print by the type: one with larger elements would read behind the buffer.
// expected-error@+1 {{is a program's entry, but entry 0 of 'noria.outputs' does not describe type tensor<?xf32>}}
func.func @larger_type(%a: tensor<?xf32>) -> tensor<?xf32>
    attributes {noria.entry, noria.inputs = [{dtype = 1 : i64, dims = array<i64: -1>, type = tensor<?xf32>}],
                noria.outputs = [{dtype = 1 : i64, dims = array<i64: -1>, type = complex<f64>}]} {
  return %a : tensor<?xf32>
}

// -----

// expected-error@+1 {{is a program's entry, but entry 0 of 'noria.outputs' does not describe type tensor<?xf32>}}
func.func @more_elements(%a: tensor<?xf32>) -> tensor<?xf32>
    attributes {noria.entry, noria.inputs = [{dtype = 1 : i64, dims = array<i64: -1>}],
                noria.outputs = [{dtype = 1 : i64, dims = array<i64: -1>, type = memref<100xf32>}]} {
  return %a : tensor<?xf32>
}

// -----

// Another function of the name, in a module of its own.
func.func @outer(%a: tensor<?xf32>) -> tensor<?xf32>
    attributes {noria.entry, noria.inputs = [{name = "a", dtype = 1 : i64, dims = array<i64: -1>}],
                noria.outputs = [{name = "b", dtype = 1 : i64, dims = array<i64: -1>}]} {
  return %a : tensor<?xf32>
}
module @nested {
  func.func @outer(%a: tensor<?xf32>) -> tensor<?xf32> {
    return %a : tensor<?xf32>
  }
  func.func @caller(%a: tensor<?xf32>) -> tensor<?xf32> {
    %0 = func.call @outer(%a) : (tensor<?xf32>) -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }
}

// -----

// What the runtime checks of inputs, a call inside of the program would not.
func.func @called(%a: tensor<?xf32>) -> tensor<?xf32>
    attributes {noria.entry, noria.inputs = [{name = "a", dtype = 1 : i64, dims = array<i64: -1>}],
                noria.outputs = [{name = "b", dtype = 1 : i64, dims = array<i64: -1>}]} {
  // expected-error@+1 {{refers to the program's entry, which only the runtime may call}}
  %0 = func.call @called(%a) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @first() attributes {noria.entry, noria.inputs = [], noria.outputs = []} {
  return
}
// expected-error@+1 {{has 'noria.entry', as 'first' has: a program has one entry}}
func.func @second() attributes {noria.entry, noria.inputs = [], noria.outputs = []} {
  return
}
