package import WireRunnerContract

/// The changed settings between two candidates, secrets redacted.
package struct SettingComparison: Sendable {
    package let changes: [ChangeReport.SettingChange]

    /// Compares all sections, or one.
    package init(from old: Candidate?, to new: Candidate, of section: String? = nil) {
        let isMeant = { (setting: EffectiveSetting) in section.map { $0 == setting.section } ?? true }
        let (former, present) = ((old?.settings ?? []).filter(isMeant), new.settings.filter(isMeant))
        let before = Dictionary(former.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
        let after = Dictionary(present.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
        guard old != nil else {
            changes = []
            return
        }
        let paths = present.map(\.path) + former.map(\.path).filter { after[$0] == nil }
        changes = paths.compactMap { path in
            let (former, present) = (before[path], after[path])
            if let former, let present, former.isSame(as: present) { return nil }
            // A mapping that changed between empty and non-empty is reported by its contents.
            let isHolder = former == nil || present == nil
            guard
                !isHolder
                    || !(before.keys.contains { $0.hasPrefix("\(path).") }
                        || after.keys.contains { $0.hasPrefix("\(path).") })
            else { return nil }
            return .init(path: path, old: former?.text, new: present?.text, place: present?.place)
        }
    }
}
