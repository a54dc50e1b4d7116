/// A section that is itself a map: all its keys are names that the author chooses.
///
/// ```yaml
/// addons: { audit: { exec: [./audit-addon] } }
/// ```
package protocol NamedSection: Section {
    associatedtype Element: SettingValue
    init(_ items: Named<Element>)
}

extension NamedSection {
    package static var form: Form { Named<Element>.form }
    package static var placeholder: Self { Self(Named<Element>()) }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        Named<Element>.read(node, with: reader).map(Self.init)
    }

    /// Requests no keys, because they are known only when the file is read.
    package init(_ keys: inout Keys) {
        self.init(Named<Element>())
    }
}
