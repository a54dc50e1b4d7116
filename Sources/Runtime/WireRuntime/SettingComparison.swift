package import WireService

/// What differs between two candidates, setting by setting, secrets redacted.
package struct SettingComparison: Sendable {
    package let changes: [ChangeReport.SettingChange]

    package init(from old: Candidate?, to new: Candidate) {
        let before = Dictionary((old?.settings ?? []).map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
        let after = Dictionary(new.settings.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
        guard let old else {
            changes = []
            return
        }
        let paths = new.settings.map(\.path) + old.settings.map(\.path).filter { after[$0] == nil }
        changes = paths.compactMap { path in
            let (former, present) = (before[path], after[path])
            guard former?.text != present?.text else { return nil }
            // A section that was empty and is not any more, or the other way round, is told by what it holds.
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
