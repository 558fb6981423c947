/* Keeper takeover, a call a transition. Set from outside: KEEPERS, ROUNDS, and one of
 * BY_NAME, COMPARE and GUARDED. */

#define ABSENT 0
#define DEAD   255
#define ME     (_pid + 1)

byte claim = DEAD;   /* whose it is */
byte guard = 0;      /* who has it locked */
byte inside = 0;     /* how many are */
byte entered = 0;    /* how many ever were */

/* What was tried did not get the keeper in: part of the step that shows it. */
#define NEXT_ROUND \
    if \
    :: round < ROUNDS -> round++; goto begin \
    :: else -> round = 0; goto finish \
    fi

#ifdef GUARDED
#define FAILED goto out
#else
#define FAILED NEXT_ROUND
#endif

active [KEEPERS] proctype keeper() {
    byte round = 1;

begin:
#ifdef GUARDED
    atomic { guard == 0 -> guard = ME };
#endif
    /* create */
    if
    :: atomic { claim == ABSENT -> claim = ME; round = 0; goto created }
    :: claim != ABSENT
    fi;
    /* read */
    if
    :: claim == DEAD
    :: atomic { claim != DEAD -> FAILED }
    fi;
#ifndef BY_NAME
    /* read again */
    if
    :: claim == DEAD
    :: atomic { claim != DEAD -> FAILED }
    fi;
#endif
    /* unlink */
    claim = ABSENT;
    /* create */
    if
    :: atomic { claim == ABSENT -> claim = ME; round = 0; goto created }
    :: atomic { claim != ABSENT -> FAILED }
    fi;
#ifdef GUARDED
out:
    atomic { guard = 0; NEXT_ROUND };
#endif

created:
#ifdef GUARDED
    guard = 0;
#endif
    /* enter */
    atomic { inside++; entered++; assert(inside <= 1); assert(entered <= KEEPERS) };
    /* leave */
    inside--;
#ifdef GUARDED
    atomic { guard == 0 -> guard = ME };
#endif
#ifdef BY_NAME
    claim = ABSENT;
#else
    /* read, and unlink if it is the keeper's own */
    if
    :: claim == ME -> claim = ABSENT
    :: claim != ME
    fi;
#endif
#ifdef GUARDED
    guard = 0;
#endif

finish:
    /* exit */
    skip;
    /* No step: who is dead stays. */
end: false
}
