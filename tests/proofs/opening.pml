/* The reason why a claimer that finds a slot on a list checks the bitmap of initialized slots first
   (`Segments::opened`).

   One thread initializes a slot and puts it on a list; another reads its index there and claims it by exchange. The
   slot's memory happens to look like a dead slot before it is initialized. The error: the claimer's exchange succeeds,
   and then the initialization's store arrives and gives the slot to the initializing thread as well.

   Stores reach memory one by one, in any order, except that a Release store comes after all earlier stores of its
   thread (Arm Architecture Reference Manual, B2.3: store-release; plain stores to different addresses are not ordered).
   Loads are not delayed here: the claimer's exchange depends on the index that it has read, and with CHECKED the load
   of the bit is an Acquire.

   spin -DCHECKED -run tests/proofs/opening.pml    finds no error
   spin -run tests/proofs/opening.pml              finds the double claim */

bit claim_word = 0;                    /* 0: garbage that looks dead; 1: live */
bit open_bit = 0;
bit listed = 0;                        /* the top slot's `below` is this slot */

bit claim_sent, open_sent, listed_sent /* stores that the opener has executed */
bit claim_done, open_done, listed_done /* stores that have reached memory */
bit opener_owns, claimer_owns;

active proctype opener()
{
    claim_sent = 1;                    /* claim.store(LIVE, Relaxed) */
    opener_owns = 1;
    open_sent = 1;                     /* open.insert(index, Release) */
    listed_sent = 1                    /* below.store(index, Relaxed), while still live */
}

active proctype memory()
{
    do
    :: atomic { claim_sent && !claim_done -> claim_word = 1; claim_done = 1 }
    :: atomic { open_sent && !open_done && claim_done -> open_bit = 1; open_done = 1 }
    :: atomic { listed_sent && !listed_done -> listed = 1; listed_done = 1 }
    :: claim_done && open_done && listed_done -> break
    od
}

active proctype claimer()
{
    if
    :: listed == 1 ->
#ifdef CHECKED
        if
        :: open_bit == 0 -> goto nothing
        :: else
        fi;
#endif
        if
        :: atomic { claim_word == 0 -> claim_word = 1; claimer_owns = 1 } /* the exchange */
        :: else
        fi
    :: else
    fi;
#ifdef CHECKED
nothing:
#endif
    assert(!(opener_owns && claimer_owns))
}
