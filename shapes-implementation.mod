!mod$ v1 sum:6cbc86a377efcb4a
submodule(shapes) implementation
contains
module function grid_total(self)
class(grid),intent(in)::self
integer(4)::grid_total
end
end
