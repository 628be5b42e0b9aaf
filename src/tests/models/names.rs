//! Models of the records of bound closures, which some threads fill while others read them.

use super::*;
use crate::diagnosis::record::{ClosureRecord, List};

#[test]
fn a_name_reader_never_sees_a_partial_location() {
    loom::model(|| {
        let record = Arc::new(ClosureRecord::new());
        let binders = [("one.rs", 1), ("other.rs", 2)].map(|(file, line)| {
            let record = record.clone();
            thread::spawn(move || record.fill(A, "closure", file, line))
        });
        if record.is_of(A) {
            assert_eq!(record.name(), Some("closure"));
            let location = record.location();
            assert!(matches!(location, None | Some(("one.rs", 1) | ("other.rs", 2))), "{location:?}");
        }
        for binder in binders {
            binder.join().unwrap();
        }
        assert!(record.is_filled() && record.is_of(A));
        assert!(matches!(record.location(), Some(("one.rs", 1) | ("other.rs", 2))));
    });
}

#[test]
fn a_reader_of_the_list_sees_all_earlier_records() {
    loom::model(|| {
        // Like the records of a program, the list is never freed.
        let list: &'static List = Box::leak(Box::new(List::new()));
        let records: [&'static ClosureRecord; 2] =
            [(); 2].map(|()| &*Box::leak(Box::new(ClosureRecord::new())));
        let find = |wanted: &ClosureRecord| list.all().position(|record| core::ptr::eq(record, wanted));
        let other = thread::spawn(move || {
            list.add(records[0]);
            list.add(records[1]);
        });
        list.add(records[0]);
        if find(records[1]).is_some() {
            assert!(find(records[0]).is_some() && list.all().count() == 2);
        }
        other.join().unwrap();
        assert!(find(records[0]).is_some() && find(records[1]).is_some() && list.all().count() == 2);
    });
}
