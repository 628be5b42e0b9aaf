--  Nested functions in access types with convention C, which need trampolines. Ada's own access types use descriptors.
with Ada.Text_IO; use Ada.Text_IO;

procedure Nested is
   type Callback is access function (X : Integer) return Integer
     with Convention => C;

   function Apply (F : Callback; X : Integer) return Integer is (F (X));
   pragma No_Inline (Apply);

   Left : exception;

   function Host (Y : Integer; Depth : Natural) return Integer is
      function Inner (X : Integer) return Integer with Convention => C;
      function Inner (X : Integer) return Integer is
      begin
         if X + Y < 0 then
            raise Left;   --  through the stub, to a handler of another host
         end if;
         return X + Y;
      end Inner;
   begin
      if Depth = 0 then
         return Apply (Inner'Unrestricted_Access, 1);
      end if;
      return Apply (Inner'Unrestricted_Access, 0) + Host (Y, Depth - 1);
   end Host;

   Sum, Caught : Integer := 0;
begin
   for I in 1 .. 1000 loop
      Sum := Sum + Host (I, 10);
   end loop;
   for I in 1 .. 1000 loop
      begin
         Sum := Sum + Host (-10, 5);
      exception
         when Left => Caught := Caught + 1;
      end;
   end loop;
   Put_Line ("Ada:" & Sum'Image & Caught'Image);
end Nested;
