import WireBase
package import WireConfig
import WireService
import WireStateContract

extension PersistenceSection {
    /// The rules across the keys of the section.
    package func check(_ checks: inout Checks) {
        checks.offer(.stateWriting)
        for item in namespaces.items { checkSizes(item, &checks) }
        if onlyDeclared, namespaces.items.isEmpty, $namespaces.state != .uncertain {
            checks.report(
                .noNamespaces,
                at: $onlyDeclared,
                "persistence.onlyDeclared allows no namespace, because none is listed",
                help: "list the allowed ones under 'namespaces'"
            )
        }
        if $maxNamespaces.isWritten, maxNamespaces > maxNamespacesTogether, $maxNamespacesTogether.state != .uncertain {
            checks.report(
                .namespaceCount,
                at: $maxNamespaces,
                "persistence.maxNamespaces (\(maxNamespaces)) is more than persistence.maxNamespacesTogether (\(maxNamespacesTogether))",
                related: $maxNamespacesTogether.isWritten ? ($maxNamespacesTogether, "the limit of all") : nil
            )
        }
        checkKeys(&checks)
        checkStore(&checks)
    }

    private func checkStore(_ checks: inout Checks) {
        guard let store else { return }
        if $key.state == .absent {
            checks.report(
                .sharedStore,
                at: $store,
                "persistence.store requires persistence.key, the same for all runners of the group",
                help: "run 'openssl rand -base64 32' to generate one"
            )
        }
        if let app = checks.configuration[AppSection.self], app.$group.state == .absent {
            checks.report(
                .sharedStore,
                at: $store,
                "persistence.store requires app.group, by which the runners of a group find each other",
                help: "add 'group: \(app.id.text)' to 'app'"
            )
        }
        let needsUser: [SharedData] = [.outbox, .tasks, .notifications].filter(store.shares.contains)
        if let first = needsUser.first, !store.shares.contains(.auth) {
            checks.report(
                .sharedStore,
                at: store.$shares,
                "persistence.store.shares has '\(first.rawValue)' without 'auth', so that runners would work for different users",
                help: "add 'auth'"
            )
        }
        if store.shares.isEmpty, store.$shares.state != .uncertain {
            checks.report(
                .sharedStore,
                at: store.$shares,
                "persistence.store.shares is empty, so that nothing is shared"
            )
        }
    }

    private func checkSizes(_ item: Named<Namespace>.Item, _ checks: inout Checks) {
        let path = "persistence.namespaces.\(item.name)"
        let namespace = item.value
        guard namespace.$maxSize.isWritten else { return }
        if $maxSize.state != .uncertain, namespace.maxSize > maxSize {
            checks.report(
                .namespaceSize,
                at: namespace.$maxSize,
                "\(path).maxSize (\(namespace.maxSize)) is more than persistence.maxSize (\(maxSize))",
                related: $maxSize.isWritten ? ($maxSize, "the limit of all") : nil
            )
        }
        if namespace.maxSize < maxValueSize, $maxValueSize.isWritten {
            checks.report(
                .namespaceSize,
                at: namespace.$maxSize,
                "\(path).maxSize (\(namespace.maxSize)) is less than persistence.maxValueSize (\(maxValueSize))",
                related: ($maxValueSize, "the limit of a value")
            )
        }
    }

    private func checkKeys(_ checks: inout Checks) {
        for (name, key, place) in [("key", key, $key), ("previousKey", previousKey, $previousKey)] {
            guard let key, !Self.isKey(key.reveal()) else { continue }
            checks.report(
                .storeKey,
                at: place,
                "persistence.\(name) is not 32 bytes in base64",
                help: "run 'openssl rand -base64 32' to generate one"
            )
        }
        guard let previousKey else { return }
        if $key.state == .absent {
            checks.report(
                .storeKey,
                at: $previousKey,
                "persistence.previousKey has no effect without 'key'",
                help: "set 'key' to the new key"
            )
        } else if let key, key.reveal() == previousKey.reveal() {
            checks.report(
                .storeKey,
                at: $previousKey,
                "persistence.previousKey is the same as 'key'",
                related: ($key, "the same key")
            )
        }
    }

    /// Whether it has 43 digits and a padding character, as 32 bytes in base64 do.
    private static func isKey(_ text: String) -> Bool {
        let digits = text.utf8.prefix {
            $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/")
        }
        return text.utf8.count == 44 && digits.count == 43 && text.hasSuffix("=")
    }
}
