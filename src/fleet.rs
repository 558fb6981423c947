//! Who follows which policy: all contenders of a cell the same, or not.

use std::sync::Arc;

use locklab_models::Policy;
use locklab_sys::{Fingerprint, SmolStr};

/// Between the names of a mixed fleet's policies.
pub const JOINT: char = '+';

/// The policies of a cell's contenders, in the order in which these start. The
/// last is also that of all who start later.
///
/// Several are a rolling upgrade: `identity+age` is one that has been upgraded,
/// among others that have not.
#[derive(Clone, Debug)]
pub struct Fleet {
    name: SmolStr,
    members: Vec<Arc<Policy>>,
}

impl Fleet {
    /// The fleet whose first contender follows the first of `members`, and so on.
    ///
    /// # Panics
    ///
    /// When there is none.
    pub fn new(mut members: Vec<Arc<Policy>>) -> Self {
        // Who follows the last needs no further mention.
        while let [.., before, last] = &members[..]
            && before.fingerprint() == last.fingerprint()
        {
            members.pop();
        }
        let names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
        assert!(!names.is_empty(), "a fleet follows something");
        Self { name: names.join(&JOINT.to_string()).into(), members }
    }

    /// The names of the policies, with a `+` between.
    pub fn name(&self) -> &SmolStr {
        &self.name
    }

    /// The policies.
    pub fn members(&self) -> &[Arc<Policy>] {
        &self.members
    }

    /// The policy of the contender that starts as the `nth`, from 0.
    pub fn of_contender(&self, nth: usize) -> &Arc<Policy> {
        &self.members[nth.min(self.members.len() - 1)]
    }

    /// The policy that all follow, if they do.
    pub fn only(&self) -> Option<&Arc<Policy>> {
        match &self.members[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    /// The fingerprint of the policies, in order.
    pub fn fingerprint(&self) -> Fingerprint {
        match self.only() {
            Some(policy) => policy.fingerprint(),
            None => {
                let members = self.members.iter().map(|member| member.fingerprint());
                Fingerprint::of(&members.map(|it| it.0).collect::<Vec<_>>())
            }
        }
    }
}

impl From<&Fleet> for Fleet {
    fn from(fleet: &Fleet) -> Self {
        fleet.clone()
    }
}

impl From<Arc<Policy>> for Fleet {
    fn from(policy: Arc<Policy>) -> Self {
        Self::new(vec![policy])
    }
}

impl From<&Arc<Policy>> for Fleet {
    fn from(policy: &Arc<Policy>) -> Self {
        Arc::clone(policy).into()
    }
}

#[cfg(test)]
mod tests {
    use super::Fleet;
    use crate::policy_file;

    fn fleet(names: &[&str]) -> Fleet {
        let named = policy_file::named();
        let member = |name: &&str| named.iter().find(|it| it.name == **name).unwrap().clone();
        Fleet::new(names.iter().map(member).collect())
    }

    #[test]
    fn who_starts_late_follows_the_last() {
        let mixed = fleet(&["identity", "age"]);
        let followed: Vec<&str> = (0..3).map(|nth| &*mixed.of_contender(nth).name).collect();
        assert_eq!(followed, ["identity", "age", "age"]);
        assert_eq!(mixed.name(), "identity+age");
        assert!(mixed.only().is_none());
    }

    #[test]
    fn a_fleet_has_one_name() {
        assert_eq!(fleet(&["age", "age"]).name(), "age");
        assert_eq!(fleet(&["identity", "age", "age"]).name(), "identity+age");
        assert_eq!(fleet(&["age", "age", "identity"]).name(), "age+age+identity");
    }

    #[test]
    fn the_order_matters() {
        let (one, other) = (fleet(&["identity", "age"]), fleet(&["age", "identity"]));
        assert_ne!(one.fingerprint(), other.fingerprint());
        assert_eq!(fleet(&["age"]).fingerprint(), one.members()[1].fingerprint());
    }
}
