// dft_steps.mlir - the steps of the transforms of lib/dft.mlir, which says what stands where in memory.

func.func private @twiddle(%w: !W, %j: index) -> (!V, !V) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = memref.load %w[%j, %c0] : !W
  %s = memref.load %w[%j, %c1] : !W
  %cs = vector.broadcast %c : f64 to !V
  %ss = vector.broadcast %s : f64 to !V
  return %cs, %ss : !V, !V
}

func.func private @times(%a: !V, %b: !V, %c: !V, %d: !V) -> (!V, !V) {
  %ac = arith.mulf %a, %c : !V
  %ad = arith.mulf %a, %d : !V
  %minus_b = arith.negf %b : !V
  %re = math.fma %minus_b, %d, %ac : !V
  %im = math.fma %b, %c, %ad : !V
  return %re, %im : !V, !V
}

func.func private @get(%re: !M, %im: !M, %at: index) -> (!V, !V) {
  %a = vector.load %re[%at] : !M, !V
  %b = vector.load %im[%at] : !M, !V
  return %a, %b : !V, !V
}

func.func private @put(%re: !M, %im: !M, %at: index, %a: !V, %b: !V) {
  vector.store %a, %re[%at] : !M, !V
  vector.store %b, %im[%at] : !M, !V
  return
}

func.func private @put_times(%re: !M, %im: !M, %at: index, %a: !V, %b: !V, %c: !V, %d: !V) {
  %x, %y = func.call @times(%a, %b, %c, %d) : (!V, !V, !V, !V) -> (!V, !V)
  func.call @put(%re, %im, %at, %x, %y) : (!M, !M, index, !V, !V) -> ()
  return
}

// Where vector %v of a part of %width elements begins: the last one ends with the part, if the part has a vector.
func.func private @begin(%v: index, %width: index) -> index {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %before = arith.subi %width, %c8 : index
  %last = arith.maxsi %before, %c0 : index
  %begin = arith.minui %v, %last : index
  return %begin : index
}

// Steps for the factors 2, 3, 4 and 5. %m is `left` over the factor, %width is done * lanes.
func.func private @step_2(%re: !M, %im: !M, %w: !W, %m: index, %done: index, %width: index, %from: index, %to: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %stride = arith.muli %m, %width : index
  scf.for %t = %c0 to %m step %c1 {
    %j1 = arith.muli %t, %done : index
    %w1:2 = func.call @twiddle(%w, %j1) : (!W, index) -> (!V, !V)
    %part = arith.muli %t, %width : index
    %read = arith.addi %from, %part : index
    %first = arith.muli %part, %c2 : index
    %write = arith.addi %to, %first : index
    scf.for %v = %c0 to %width step %c8 {
      %s = func.call @begin(%v, %width) : (index, index) -> index
      %i0 = arith.addi %read, %s : index
      %i1 = arith.addi %i0, %stride : index
      %o0 = arith.addi %write, %s : index
      %o1 = arith.addi %o0, %width : index
      %a0:2 = func.call @get(%re, %im, %i0) : (!M, !M, index) -> (!V, !V)
      %a1:2 = func.call @get(%re, %im, %i1) : (!M, !M, index) -> (!V, !V)
      %p = arith.addf %a0#0, %a1#0 : !V
      %q = arith.addf %a0#1, %a1#1 : !V
      %r = arith.subf %a0#0, %a1#0 : !V
      %z = arith.subf %a0#1, %a1#1 : !V
      func.call @put(%re, %im, %o0, %p, %q) : (!M, !M, index, !V, !V) -> ()
      func.call @put_times(%re, %im, %o1, %r, %z, %w1#0, %w1#1) : (!M, !M, index, !V, !V, !V, !V) -> ()
    }
  }
  return
}

func.func private @step_3(%re: !M, %im: !M, %w: !W, %sign: f64, %m: index, %done: index, %width: index, %from: index,
    %to: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %half = arith.constant dense<-0.5> : !V
  %sin = arith.constant 0.8660254037844386 : f64
  %signed = arith.mulf %sin, %sign : f64
  %sines = vector.broadcast %signed : f64 to !V
  %stride = arith.muli %m, %width : index
  scf.for %t = %c0 to %m step %c1 {
    %j1 = arith.muli %t, %done : index
    %j2 = arith.addi %j1, %j1 : index
    %w1:2 = func.call @twiddle(%w, %j1) : (!W, index) -> (!V, !V)
    %w2:2 = func.call @twiddle(%w, %j2) : (!W, index) -> (!V, !V)
    %part = arith.muli %t, %width : index
    %read = arith.addi %from, %part : index
    %first = arith.muli %part, %c3 : index
    %write = arith.addi %to, %first : index
    scf.for %v = %c0 to %width step %c8 {
      %s = func.call @begin(%v, %width) : (index, index) -> index
      %i0 = arith.addi %read, %s : index
      %i1 = arith.addi %i0, %stride : index
      %i2 = arith.addi %i1, %stride : index
      %o0 = arith.addi %write, %s : index
      %o1 = arith.addi %o0, %width : index
      %o2 = arith.addi %o1, %width : index
      %a0:2 = func.call @get(%re, %im, %i0) : (!M, !M, index) -> (!V, !V)
      %a1:2 = func.call @get(%re, %im, %i1) : (!M, !M, index) -> (!V, !V)
      %a2:2 = func.call @get(%re, %im, %i2) : (!M, !M, index) -> (!V, !V)
      %sum_re = arith.addf %a1#0, %a2#0 : !V
      %sum_im = arith.addf %a1#1, %a2#1 : !V
      %dif_re = arith.subf %a1#0, %a2#0 : !V
      %dif_im = arith.subf %a1#1, %a2#1 : !V
      %all_re = arith.addf %a0#0, %sum_re : !V
      %all_im = arith.addf %a0#1, %sum_im : !V
      %mid_re = math.fma %sum_re, %half, %a0#0 : !V
      %mid_im = math.fma %sum_im, %half, %a0#1 : !V
      // times i
      %turn_re = arith.mulf %dif_im, %sines : !V
      %turn_im = arith.mulf %dif_re, %sines : !V
      %b1_re = arith.subf %mid_re, %turn_re : !V
      %b1_im = arith.addf %mid_im, %turn_im : !V
      %b2_re = arith.addf %mid_re, %turn_re : !V
      %b2_im = arith.subf %mid_im, %turn_im : !V
      func.call @put(%re, %im, %o0, %all_re, %all_im) : (!M, !M, index, !V, !V) -> ()
      func.call @put_times(%re, %im, %o1, %b1_re, %b1_im, %w1#0, %w1#1) : (!M, !M, index, !V, !V, !V, !V) -> ()
      func.call @put_times(%re, %im, %o2, %b2_re, %b2_im, %w2#0, %w2#1) : (!M, !M, index, !V, !V, !V, !V) -> ()
    }
  }
  return
}

func.func private @step_4(%re: !M, %im: !M, %w: !W, %sign: f64, %m: index, %done: index, %width: index, %from: index,
    %to: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %signs = vector.broadcast %sign : f64 to !V
  %stride = arith.muli %m, %width : index
  scf.for %t = %c0 to %m step %c1 {
    %j1 = arith.muli %t, %done : index
    %j2 = arith.addi %j1, %j1 : index
    %j3 = arith.addi %j1, %j2 : index
    %w1:2 = func.call @twiddle(%w, %j1) : (!W, index) -> (!V, !V)
    %w2:2 = func.call @twiddle(%w, %j2) : (!W, index) -> (!V, !V)
    %w3:2 = func.call @twiddle(%w, %j3) : (!W, index) -> (!V, !V)
    %part = arith.muli %t, %width : index
    %read = arith.addi %from, %part : index
    %first = arith.muli %part, %c4 : index
    %write = arith.addi %to, %first : index
    scf.for %v = %c0 to %width step %c8 {
      %s = func.call @begin(%v, %width) : (index, index) -> index
      %i0 = arith.addi %read, %s : index
      %i1 = arith.addi %i0, %stride : index
      %i2 = arith.addi %i1, %stride : index
      %i3 = arith.addi %i2, %stride : index
      %o0 = arith.addi %write, %s : index
      %o1 = arith.addi %o0, %width : index
      %o2 = arith.addi %o1, %width : index
      %o3 = arith.addi %o2, %width : index
      %a0:2 = func.call @get(%re, %im, %i0) : (!M, !M, index) -> (!V, !V)
      %a1:2 = func.call @get(%re, %im, %i1) : (!M, !M, index) -> (!V, !V)
      %a2:2 = func.call @get(%re, %im, %i2) : (!M, !M, index) -> (!V, !V)
      %a3:2 = func.call @get(%re, %im, %i3) : (!M, !M, index) -> (!V, !V)
      %e_re = arith.addf %a0#0, %a2#0 : !V
      %e_im = arith.addf %a0#1, %a2#1 : !V
      %f_re = arith.subf %a0#0, %a2#0 : !V
      %f_im = arith.subf %a0#1, %a2#1 : !V
      %g_re = arith.addf %a1#0, %a3#0 : !V
      %g_im = arith.addf %a1#1, %a3#1 : !V
      %d_re = arith.subf %a1#0, %a3#0 : !V
      %d_im = arith.subf %a1#1, %a3#1 : !V
      // times i
      %h_re = arith.mulf %d_im, %signs : !V
      %h_im = arith.mulf %d_re, %signs : !V
      %b0_re = arith.addf %e_re, %g_re : !V
      %b0_im = arith.addf %e_im, %g_im : !V
      %b1_re = arith.subf %f_re, %h_re : !V
      %b1_im = arith.addf %f_im, %h_im : !V
      %b2_re = arith.subf %e_re, %g_re : !V
      %b2_im = arith.subf %e_im, %g_im : !V
      %b3_re = arith.addf %f_re, %h_re : !V
      %b3_im = arith.subf %f_im, %h_im : !V
      func.call @put(%re, %im, %o0, %b0_re, %b0_im) : (!M, !M, index, !V, !V) -> ()
      func.call @put_times(%re, %im, %o1, %b1_re, %b1_im, %w1#0, %w1#1) : (!M, !M, index, !V, !V, !V, !V) -> ()
      func.call @put_times(%re, %im, %o2, %b2_re, %b2_im, %w2#0, %w2#1) : (!M, !M, index, !V, !V, !V, !V) -> ()
      func.call @put_times(%re, %im, %o3, %b3_re, %b3_im, %w3#0, %w3#1) : (!M, !M, index, !V, !V, !V, !V) -> ()
    }
  }
  return
}

func.func private @step_5(%re: !M, %im: !M, %w: !W, %sign: f64, %m: index, %done: index, %width: index, %from: index,
    %to: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c8 = arith.constant 8 : index
  // cos and sin of 2 pi / 5 and 4 pi / 5
  %cos1 = arith.constant dense<0.30901699437494745> : !V
  %cos2 = arith.constant dense<-0.8090169943749475> : !V
  %sin1 = arith.constant 0.9510565162951535 : f64
  %sin2 = arith.constant 0.5877852522924731 : f64
  %signed1 = arith.mulf %sin1, %sign : f64
  %signed2 = arith.mulf %sin2, %sign : f64
  %s1 = vector.broadcast %signed1 : f64 to !V
  %s2 = vector.broadcast %signed2 : f64 to !V
  %minus_s1 = arith.negf %s1 : !V
  %stride = arith.muli %m, %width : index
  scf.for %t = %c0 to %m step %c1 {
    %j1 = arith.muli %t, %done : index
    %j2 = arith.addi %j1, %j1 : index
    %j3 = arith.addi %j1, %j2 : index
    %j4 = arith.addi %j2, %j2 : index
    %w1:2 = func.call @twiddle(%w, %j1) : (!W, index) -> (!V, !V)
    %w2:2 = func.call @twiddle(%w, %j2) : (!W, index) -> (!V, !V)
    %w3:2 = func.call @twiddle(%w, %j3) : (!W, index) -> (!V, !V)
    %w4:2 = func.call @twiddle(%w, %j4) : (!W, index) -> (!V, !V)
    %part = arith.muli %t, %width : index
    %read = arith.addi %from, %part : index
    %first = arith.muli %part, %c5 : index
    %write = arith.addi %to, %first : index
    scf.for %v = %c0 to %width step %c8 {
      %s = func.call @begin(%v, %width) : (index, index) -> index
      %i0 = arith.addi %read, %s : index
      %i1 = arith.addi %i0, %stride : index
      %i2 = arith.addi %i1, %stride : index
      %i3 = arith.addi %i2, %stride : index
      %i4 = arith.addi %i3, %stride : index
      %o0 = arith.addi %write, %s : index
      %o1 = arith.addi %o0, %width : index
      %o2 = arith.addi %o1, %width : index
      %o3 = arith.addi %o2, %width : index
      %o4 = arith.addi %o3, %width : index
      %a0:2 = func.call @get(%re, %im, %i0) : (!M, !M, index) -> (!V, !V)
      %a1:2 = func.call @get(%re, %im, %i1) : (!M, !M, index) -> (!V, !V)
      %a2:2 = func.call @get(%re, %im, %i2) : (!M, !M, index) -> (!V, !V)
      %a3:2 = func.call @get(%re, %im, %i3) : (!M, !M, index) -> (!V, !V)
      %a4:2 = func.call @get(%re, %im, %i4) : (!M, !M, index) -> (!V, !V)
      %p_re = arith.addf %a1#0, %a4#0 : !V
      %p_im = arith.addf %a1#1, %a4#1 : !V
      %q_re = arith.addf %a2#0, %a3#0 : !V
      %q_im = arith.addf %a2#1, %a3#1 : !V
      %d_re = arith.subf %a1#0, %a4#0 : !V
      %d_im = arith.subf %a1#1, %a4#1 : !V
      %e_re = arith.subf %a2#0, %a3#0 : !V
      %e_im = arith.subf %a2#1, %a3#1 : !V
      %pq_re = arith.addf %p_re, %q_re : !V
      %pq_im = arith.addf %p_im, %q_im : !V
      %b0_re = arith.addf %a0#0, %pq_re : !V
      %b0_im = arith.addf %a0#1, %pq_im : !V
      %f_re = math.fma %p_re, %cos1, %a0#0 : !V
      %f_im = math.fma %p_im, %cos1, %a0#1 : !V
      %g_re = math.fma %p_re, %cos2, %a0#0 : !V
      %g_im = math.fma %p_im, %cos2, %a0#1 : !V
      %m1_re = math.fma %q_re, %cos2, %f_re : !V
      %m1_im = math.fma %q_im, %cos2, %f_im : !V
      %m2_re = math.fma %q_re, %cos1, %g_re : !V
      %m2_im = math.fma %q_im, %cos1, %g_im : !V
      %u_re = arith.mulf %d_re, %s1 : !V
      %u_im = arith.mulf %d_im, %s1 : !V
      %z_re = arith.mulf %d_re, %s2 : !V
      %z_im = arith.mulf %d_im, %s2 : !V
      %n1_re = math.fma %e_re, %s2, %u_re : !V
      %n1_im = math.fma %e_im, %s2, %u_im : !V
      %n2_re = math.fma %e_re, %minus_s1, %z_re : !V
      %n2_im = math.fma %e_im, %minus_s1, %z_im : !V
      // n1 and n2 times i
      %b1_re = arith.subf %m1_re, %n1_im : !V
      %b1_im = arith.addf %m1_im, %n1_re : !V
      %b4_re = arith.addf %m1_re, %n1_im : !V
      %b4_im = arith.subf %m1_im, %n1_re : !V
      %b2_re = arith.subf %m2_re, %n2_im : !V
      %b2_im = arith.addf %m2_im, %n2_re : !V
      %b3_re = arith.addf %m2_re, %n2_im : !V
      %b3_im = arith.subf %m2_im, %n2_re : !V
      func.call @put(%re, %im, %o0, %b0_re, %b0_im) : (!M, !M, index, !V, !V) -> ()
      func.call @put_times(%re, %im, %o1, %b1_re, %b1_im, %w1#0, %w1#1) : (!M, !M, index, !V, !V, !V, !V) -> ()
      func.call @put_times(%re, %im, %o2, %b2_re, %b2_im, %w2#0, %w2#1) : (!M, !M, index, !V, !V, !V, !V) -> ()
      func.call @put_times(%re, %im, %o3, %b3_re, %b3_im, %w3#0, %w3#1) : (!M, !M, index, !V, !V, !V, !V) -> ()
      func.call @put_times(%re, %im, %o4, %b4_re, %b4_im, %w4#0, %w4#1) : (!M, !M, index, !V, !V, !V, !V) -> ()
    }
  }
  return
}

// A step for any factor %r of the length %n, in r * r products.
func.func private @step_any(%re: !M, %im: !M, %w: !W, %n: index, %r: index, %m: index, %done: index, %width: index,
    %from: index, %to: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zeros = arith.constant dense<0.0> : !V
  %stride = arith.muli %m, %width : index
  %turn = arith.divui %n, %r : index
  scf.for %t = %c0 to %m step %c1 {
    %part = arith.muli %t, %width : index
    %read = arith.addi %from, %part : index
    %first = arith.muli %part, %r : index
    %write = arith.addi %to, %first : index
    %td = arith.muli %t, %done : index
    scf.for %v = %c0 to %width step %c8 {
      %s = func.call @begin(%v, %width) : (index, index) -> index
      %i0 = arith.addi %read, %s : index
      %o0 = arith.addi %write, %s : index
      scf.for %k = %c0 to %r step %c1 {
        %j0 = arith.muli %td, %k : index
        %step = arith.muli %turn, %k : index
        %sum:4 = scf.for %u = %c0 to %r step %c1 iter_args(%j = %j0, %i = %i0, %x = %zeros, %y = %zeros)
            -> (index, index, !V, !V) {
          %wj:2 = func.call @twiddle(%w, %j) : (!W, index) -> (!V, !V)
          %a:2 = func.call @get(%re, %im, %i) : (!M, !M, index) -> (!V, !V)
          %minus = arith.negf %a#1 : !V
          %x1 = math.fma %a#0, %wj#0, %x : !V
          %x2 = math.fma %minus, %wj#1, %x1 : !V
          %y1 = math.fma %a#0, %wj#1, %y : !V
          %y2 = math.fma %a#1, %wj#0, %y1 : !V
          %after = arith.addi %j, %step : index
          %over = arith.cmpi uge, %after, %n : index
          %wrapped = arith.subi %after, %n : index
          %next = arith.select %over, %wrapped, %after : index
          %below = arith.addi %i, %stride : index
          scf.yield %next, %below, %x2, %y2 : index, index, !V, !V
        }
        %skip = arith.muli %k, %width : index
        %o = arith.addi %o0, %skip : index
        func.call @put(%re, %im, %o, %sum#2, %sum#3) : (!M, !M, index, !V, !V) -> ()
      }
    }
  }
  return
}

// The factor that the next step takes of %left, which is above 1.
func.func private @factor(%left: index) -> index {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %four = arith.remui %left, %c4 : index
  %is_four = arith.cmpi eq, %four, %c0 : index
  %factor = scf.if %is_four -> (index) {
    scf.yield %c4 : index
  } else {
    %two = arith.remui %left, %c2 : index
    %is_two = arith.cmpi eq, %two, %c0 : index
    %first = arith.select %is_two, %c2, %c3 : index
    %found = scf.while (%r = %first) : (index) -> (index) {
      %rest = arith.remui %left, %r : index
      %more = arith.cmpi ne, %rest, %c0 : index
      scf.condition(%more) %r : index
    } do {
    ^bb0(%r: index):
      %next = arith.addi %r, %c2 : index
      scf.yield %next : index
    }
    scf.yield %found : index
  }
  return %factor : index
}

// Transforms %lanes rows of %n elements; gives the place of the result. Two halves begin at 0 and %half.
func.func private @transform(%re: !M, %im: !M, %w: !W, %sign: f64, %n: index, %lanes: index, %half: index,
    %begin: index) -> index {
  %c1 = arith.constant 1 : index
  %last:3 = scf.while (%left = %n, %done = %c1, %from = %begin) : (index, index, index) -> (index, index, index) {
    %more = arith.cmpi ugt, %left, %c1 : index
    scf.condition(%more) %left, %done, %from : index, index, index
  } do {
  ^bb0(%left: index, %done: index, %from: index):
    %r = func.call @factor(%left) : (index) -> index
    %m = arith.divui %left, %r : index
    %to = arith.subi %half, %from : index
    %width = arith.muli %done, %lanes : index
    scf.index_switch %r
    case 2 {
      func.call @step_2(%re, %im, %w, %m, %done, %width, %from, %to)
          : (!M, !M, !W, index, index, index, index, index) -> ()
      scf.yield
    }
    case 3 {
      func.call @step_3(%re, %im, %w, %sign, %m, %done, %width, %from, %to)
          : (!M, !M, !W, f64, index, index, index, index, index) -> ()
      scf.yield
    }
    case 4 {
      func.call @step_4(%re, %im, %w, %sign, %m, %done, %width, %from, %to)
          : (!M, !M, !W, f64, index, index, index, index, index) -> ()
      scf.yield
    }
    case 5 {
      func.call @step_5(%re, %im, %w, %sign, %m, %done, %width, %from, %to)
          : (!M, !M, !W, f64, index, index, index, index, index) -> ()
      scf.yield
    }
    default {
      func.call @step_any(%re, %im, %w, %n, %r, %m, %done, %width, %from, %to)
          : (!M, !M, !W, index, index, index, index, index, index, index) -> ()
    }
    %larger = arith.muli %done, %r : index
    scf.yield %m, %larger, %to : index, index, index
  }
  return %last#2 : index
}
