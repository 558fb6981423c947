/// `Clone`, field by field, whose `clone_from` keeps the buffers it fills: a
/// run goes back to its beginning without freeing anything.
macro_rules! reusing_clone {
    ($type:ident { $($field:ident),* $(,)? }) => {
        impl Clone for $type {
            fn clone(&self) -> Self {
                let Self { $($field),* } = self;
                Self { $($field: $field.clone()),* }
            }

            fn clone_from(&mut self, source: &Self) {
                $(self.$field.clone_from(&source.$field);)*
            }
        }
    };
}

pub(crate) use reusing_clone;
