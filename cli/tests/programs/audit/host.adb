--  A nested procedure that C calls. gnat writes a trampoline for it.
procedure Host is
   type Callee is access procedure (X : Integer) with Convention => C;
   procedure Apply (F : Callee) with Import, Convention => C, External_Name => "apply";
   Sum : Integer := 0;
   procedure Nested (X : Integer) with Convention => C;
   procedure Nested (X : Integer) is
   begin
      Sum := Sum + X;
   end Nested;
begin
   Apply (Nested'Unrestricted_Access);
   if Sum = 0 then
      raise Program_Error;
   end if;
end Host;
