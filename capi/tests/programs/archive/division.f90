program division
  complex(8), volatile :: a, b
  complex(4), volatile :: c, d
  a = (1.1d0, 2.3d0); b = (1.0d0, 1.3d0); c = (1.1, 2.3); d = (1.0, 1.3)
  print '(4z17.16)', a / b, a * b
  print '(4z9.8)', c / d, c * d
end program
