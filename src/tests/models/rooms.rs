//! Models of a heapless pool's rooms, each of which can store one closure.

use crate::sync::rooms::InUse;
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;

/// Two threads claim storage, use it, and free or keep it. Loom reports conflicting accesses to the storage.
fn two_threads_use_rooms(len: usize, keep: bool) {
    loom::model(move || {
        let pool = Arc::new((InUse::new(), [UnsafeCell::new(0), UnsafeCell::new(0)]));
        let use_room = move |pool: &(InUse, [UnsafeCell<u8>; 2])| {
            let room = pool.0.take(len);
            if let Some(room) = room {
                // SAFETY: loom checks that no other thread accesses the room at the same time.
                pool.1[room].with_mut(|at| unsafe { *at += 1 });
                if !keep {
                    pool.0.give_back(room);
                }
            }
            room
        };
        let other = {
            let pool = pool.clone();
            thread::spawn(move || use_room(&pool))
        };
        let (here, there) = (use_room(&pool), other.join().unwrap());
        if keep {
            assert!(here != there && (len < 2 || (here.is_some() && there.is_some())));
        }
    });
}

#[test]
fn writes_to_a_released_room_are_visible_to_its_next_owner() {
    two_threads_use_rooms(1, false);
    two_threads_use_rooms(2, false);
}

#[test]
fn two_threads_never_own_the_same_room() {
    two_threads_use_rooms(1, true);
    two_threads_use_rooms(2, true);
}
