//! What clients say of settings of a server's host, and the texts that name a setting.

use linerate_net::control::{SettingAsk, SettingReply};
use linerate_net::serve::AllowedSetting;
use linerate_net::settings::Setting;

use crate::control::message;

/// Takes `data` for a message about settings, and for a name of one.
pub fn settings(data: &[u8]) {
    message::<SettingAsk>(data);
    message::<SettingReply>(data);
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(setting) = text.parse::<Setting>() {
        let shown = setting.to_string();
        assert_eq!(shown.parse::<Setting>().ok().as_ref(), Some(&setting), "{shown}");
    }
    if let Ok(allowed) = text.parse::<AllowedSetting>() {
        let shown = allowed.to_string();
        assert_eq!(shown.parse::<AllowedSetting>().ok().as_ref(), Some(&allowed), "{shown}");
    }
}
