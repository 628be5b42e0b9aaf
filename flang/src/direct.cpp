// Turns a call through a trampoline that a helper made into a direct call to the procedure, which passes the chain and
// needs no trampoline. LLVM's InstCombine does this for llvm.init.trampoline, but the helpers have replaced that
// intrinsic.

#include "direct.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace {
// A module's helper functions, each null if the module does not use it.
struct Helpers {
    Function *take, *take_shared, *share, *end;

    explicit Helpers(Module &module)
        : take(module.getFunction("statictramp.take")), take_shared(module.getFunction("statictramp.take.shared")),
          share(module.getFunction("statictramp_share")), end(module.getFunction("statictramp.end")) {}

    bool any() const {
        for (Function *helper : {take, take_shared, share, end})
            if (helper && !helper->use_empty())
                return true;
        return false;
    }

    // Returns the index of the procedure argument, or -1 if the call makes no trampoline. The next argument is the
    // chain.
    int procedure(const CallInst &call) const {
        const Value *callee = call.getCalledOperand();
        if (callee && (callee == take || callee == take_shared))
            return call.arg_size() == 4 ? 1 : -1;
        return callee && callee == share && call.arg_size() == 2 ? 0 : -1;
    }
};

// Returns the index of the static-chain parameter, or the number of parameters if there is none.
unsigned chainOf(const Function &procedure) {
    for (const Argument &argument : procedure.args())
        if (argument.hasNestAttr())
            return argument.getArgNo();
    return procedure.arg_size();
}

// Replaces a call with a direct call to the procedure, passing the chain. Returns the direct call, or null if the call
// cannot be replaced.
CallBase *makeDirect(CallBase &call, Function &procedure, Value *chain) {
    if (call.isMustTailCall() || call.getCallingConv() != procedure.getCallingConv() ||
        call.getAttributes().hasAttrSomewhere(Attribute::Nest) || !(isa<CallInst>(call) || isa<InvokeInst>(call)))
        return nullptr;
    unsigned number = chainOf(procedure);
    if (number == procedure.arg_size()) { // the procedure takes no chain
        call.setCalledFunction(call.getFunctionType(), &procedure);
        return &call;
    }
    if (number > call.getFunctionType()->getNumParams())
        return nullptr;

    FunctionType *type = call.getFunctionType();
    AttributeList attributes = call.getAttributes(), own = procedure.getAttributes();
    SmallVector<Type *, 8> types(type->params());
    SmallVector<Value *, 8> arguments(call.args());
    SmallVector<AttributeSet, 8> each;
    for (unsigned i = 0; i < call.arg_size(); i++)
        each.push_back(attributes.getParamAttrs(i));
    types.insert(types.begin() + number, chain->getType());
    arguments.insert(arguments.begin() + number, chain);
    each.insert(each.begin() + number, own.getParamAttrs(number));
    auto *with_chain = FunctionType::get(type->getReturnType(), types, type->isVarArg());
    attributes = AttributeList::get(call.getContext(), attributes.getFnAttrs(), attributes.getRetAttrs(), each);

    SmallVector<OperandBundleDef, 1> bundles;
    call.getOperandBundlesAsDefs(bundles);
    CallBase *made;
    if (auto *invoke = dyn_cast<InvokeInst>(&call)) {
        made = InvokeInst::Create(with_chain, &procedure, invoke->getNormalDest(), invoke->getUnwindDest(), arguments,
                                  bundles, "", call.getIterator());
    } else {
        auto *direct = CallInst::Create(with_chain, &procedure, arguments, bundles, "", call.getIterator());
        direct->setTailCallKind(cast<CallInst>(call).getTailCallKind());
        made = direct;
    }
    made->setCallingConv(call.getCallingConv());
    made->setAttributes(attributes);
    made->copyMetadata(call);
    if (isa<FPMathOperator>(made) && isa<FPMathOperator>(call))
        made->copyFastMathFlags(&call);
    made->takeName(&call);
    call.replaceAllUsesWith(made);
    call.eraseFromParent();
    return made;
}

// Returns whether a trampoline may have been recorded in a variable. Returns false only if no use of the variable can
// store a trampoline.
bool mayHoldCell(const AllocaInst &variable, const Helpers &helpers) {
    constexpr unsigned most = 10000;
    SmallVector<const Value *, 16> todo{&variable};
    SmallPtrSet<const Value *, 16> seen{&variable};
    unsigned visits = 0;
    while (!todo.empty()) {
        const Value *pointer = todo.pop_back_val();
        for (const Use &use : pointer->uses()) {
            const auto *user = cast<Instruction>(use.getUser());
            if (++visits > most)
                return true;
            if (isa<LoadInst>(user) || isa<ICmpInst>(user) || isa<MemIntrinsic>(user))
                continue;
            if (isa<StoreInst>(user) && use.getOperandNo() == StoreInst::getPointerOperandIndex())
                continue;
            if (isa<GetElementPtrInst>(user)) {
                if (seen.insert(user).second)
                    todo.push_back(user);
                continue;
            }
            if (const auto *call = dyn_cast<CallInst>(user))
                if (call->isLifetimeStartOrEnd() || (helpers.end && call->getCalledOperand() == helpers.end))
                    continue;
            return true;
        }
    }
    return false;
}

// Returns the variable that contains a cell, or null if that variable is not visible.
AllocaInst *variableOf(Value *cell) {
    for (unsigned steps = 0; steps < 64; steps++) {
        auto *step = dyn_cast<GetElementPtrInst>(cell);
        if (!step)
            break;
        cell = step->getPointerOperand();
    }
    return dyn_cast<AllocaInst>(cell);
}
} // namespace

bool statictramp::direct(Function &function) {
    Helpers helpers(*function.getParent());
    if (!helpers.any())
        return false;
    SmallVector<CallInst *, 8> takes, ends;
    for (Instruction &instruction : instructions(function)) {
        if (auto *call = dyn_cast<CallInst>(&instruction)) {
            if (helpers.procedure(*call) >= 0)
                takes.push_back(call);
            else if (helpers.end && call->getCalledOperand() == helpers.end && call->arg_size() == 1)
                ends.push_back(call);
        }
    }

    bool changed = false;
    for (CallInst *take : takes) {
        int number = helpers.procedure(*take);
        if (auto *procedure = dyn_cast<Function>(take->getArgOperand(number))) {
            SmallVector<CallBase *, 4> calls;
            for (Use &use : take->uses())
                if (auto *call = dyn_cast<CallBase>(use.getUser()))
                    if (call->isCallee(&use))
                        calls.push_back(call);
            for (CallBase *call : calls)
                changed |= makeDirect(*call, *procedure, take->getArgOperand(number + 1)) != nullptr;
        }
        if (take->use_empty()) {
            take->eraseFromParent();
            changed = true;
        }
    }

    DenseMap<AllocaInst *, bool> known;
    for (CallInst *end : ends) {
        AllocaInst *variable = variableOf(end->getArgOperand(0));
        if (!variable)
            continue;
        auto [entry, is_new] = known.try_emplace(variable, false);
        if (is_new)
            entry->second = mayHoldCell(*variable, helpers);
        if (!entry->second) {
            end->eraseFromParent();
            changed = true;
        }
    }
    return changed;
}
