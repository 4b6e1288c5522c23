//! Enums that are stored as text.

/// An enum that is a word in the database and in answers.
macro_rules! text_enum {
    ($(#[$attribute:meta])* $name:ident { $($(#[$variant_attribute:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub(crate) enum $name {
            $($(#[$variant_attribute])* $variant,)*
        }

        impl $name {
            pub(crate) const ALL: &[Self] = &[$(Self::$variant,)*];

            pub(crate) fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }

            pub(crate) fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|word| word.as_str() == text)
            }
        }

        impl rusqlite::ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
                Ok(self.as_str().into())
            }
        }

        impl rusqlite::types::FromSql for $name {
            fn column_result(
                value: rusqlite::types::ValueRef<'_>,
            ) -> rusqlite::types::FromSqlResult<Self> {
                Self::parse(value.as_str()?).ok_or(rusqlite::types::FromSqlError::InvalidType)
            }
        }
    };
}

pub(crate) use text_enum;
