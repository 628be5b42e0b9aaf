@echo off
rem capi\install.cmd PREFIX [ARGUMENT FOR CARGO]...: builds libstatictramp for x86_64-pc-windows-msvc and installs it below PREFIX:
rem archive (statictramp.lib), DLL, import library (statictramp.dll.lib), statictramp.h, CMake package, licences. Run it in the command
rem prompt of Microsoft's compilers, which sets the variables PATH and LIB. Quote arguments that contain "=" or ",".
rem
rem Variables:
rem   CC, AR, LD   compiler, librarian and linker: cl, lib and link, unless set to LLVM's: clang-cl, llvm-lib and lld-link
rem   LDFLAGS      additional options for linking the DLL
rem   CARGO_TARGET_DIR and all other variables that cargo reads; STATICTRAMP_SLOTS and the like (docs/rust.md)
rem
rem Exit status: 0 installed; 1 building or installing failed; 2 PREFIX is missing or begins with "-".
setlocal EnableExtensions DisableDelayedExpansion
set "prefix=%~1"
if not defined prefix goto usage
if "%prefix%"=="/?" goto usage
if "%prefix:~0,1%"=="-" goto usage
set "prefix=%~f1"
set "arguments="
set "made="
rem Variables of these names in the environment would hide cmd.exe's own.
set "ERRORLEVEL="
set "RANDOM="
:next
shift /1
if "%~1"=="" goto build
set arguments=%arguments% %1
goto next

:build
if not defined CC set "CC=cl"
if not defined AR set "AR=lib"
if not defined LD set "LD=link"
if defined CARGO_TARGET_DIR for %%d in ("%CARGO_TARGET_DIR%") do set "CARGO_TARGET_DIR=%%~fd"
rem This fails if the sources are in a network directory without a drive letter.
cd /d "%~dp0.."
if not exist capi\install\dll.c goto failed
if not defined CARGO_TARGET_DIR for %%d in (target) do set "CARGO_TARGET_DIR=%%~fd"
set "version="
for /f "tokens=1,3" %%a in (Cargo.toml) do if "%%a"=="version" if not defined version set "version=%%~b"
if not defined version echo %~nx0: cannot read the version in Cargo.toml>&2& exit /b 1

rem Each run has a new directory. Cargo does not know the object, so it makes the object only if the path is new. Runs that start in
rem the same second get the same random numbers, but mkdir succeeds in only one of them. If it succeeds, it does not set ERRORLEVEL.
:new
set "unique=%RANDOM%%RANDOM%"
set "made=%CARGO_TARGET_DIR%\libstatictramp-msvc-%unique%"
if exist "%made%\" goto new
call :succeed
mkdir "%made%"
if errorlevel 1 if exist "%made%\" goto new
if not exist "%made%\" goto failed

rem The archive consists of the one object that link-time optimization makes. Cargo's archive also contains compiler_builtins, whose
rem functions have the names of functions in other run-time libraries.
cargo rustc --release -p statictramp-archive --target x86_64-pc-windows-msvc %arguments% -- "--emit=obj=%made%\statictramp.obj"
if not %errorlevel% == 0 goto failed
rem A tool may be a batch file. The words of a call are expanded twice, so the tools run in the new directory, where they need no path.
copy /y capi\install\dll.c "%made%\" >nul
copy /y capi\install\statictramp.def "%made%\" >nul
pushd "%made%"
call %AR% /nologo /out:statictramp.lib statictramp.obj
if not %errorlevel% == 0 goto failed
call %CC% /nologo /c /O2 /GS- /Zl /guard:cf dll.c /Fodll.obj
if not %errorlevel% == 0 goto failed
rem errno is the UCRT's; memcpy and the like are Windows' own, so that the DLL contains no code of a C runtime.
call %LD% /nologo /dll /guard:cf /entry:DllMain /def:statictramp.def /out:statictramp.dll /implib:statictramp.dll.lib dll.obj statictramp.obj kernel32.lib ucrt.lib ntdll.lib %LDFLAGS%
if not %errorlevel% == 0 goto failed
popd

set "denied="
set "from=%made%\"
call :put lib statictramp.lib statictramp.dll.lib
call :put bin statictramp.dll
set "installation=%made%\statictramp-installation.cmake"
>"%installation%" echo set(statictramp_VERSION "%version%")
>>"%installation%" echo set(statictramp_POINTER 8)
>>"%installation%" echo set(statictramp_UP ..)
call :put lib\cmake\statictramp statictramp-installation.cmake
copy /y packaging\copyright\libstatictramp "%made%\copyright" >nul
call :put share\doc\libstatictramp copyright
set "from="
call :put include capi\include\statictramp.h
call :put lib\cmake\statictramp capi\install\statictramp-config.cmake capi\install\statictramp-config-version.cmake
call :put share\doc\libstatictramp LICENSE-APACHE LICENSE-MIT CHANGELOG.md
if defined denied goto failed
rmdir /s /q "%made%"
echo statictramp %version% is installed below "%prefix%"
:succeed
exit /b 0

rem :put DIRECTORY FILE...: copies up to three files from the directory %from% to a directory below PREFIX. Each copy gets its name when
rem it is complete. The words of a call are expanded twice, so they contain no path of the user's.
:put
if not exist "%prefix%\%1\" mkdir "%prefix%\%1"
for %%f in (%2 %3 %4) do (
    copy /y "%from%%%f" "%prefix%\%1\%%~nxf.%unique%" >nul
    if errorlevel 1 (set "denied=1") else if not exist "%prefix%\%1\%%~nxf\*" move /y "%prefix%\%1\%%~nxf.%unique%" "%prefix%\%1\%%~nxf" >nul
    if exist "%prefix%\%1\%%~nxf.%unique%" (
        set "denied=1"
        del "%prefix%\%1\%%~nxf.%unique%"
    )
)
exit /b

:usage
echo usage: %~nx0 PREFIX [ARGUMENT FOR CARGO]...>&2
exit /b 2

:failed
echo %~nx0: the last command failed>&2
popd
if defined made if exist "%made%\" rmdir /s /q "%made%"
exit /b 1
