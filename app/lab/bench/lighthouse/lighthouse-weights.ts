/**
 * Each audit's weight in Lighthouse 12 (`core/config/default-config.js`). Accessibility audits are
 * named after axe's rules. Lighthouse itself would add 175 MB of packages, so the bench runs its
 * audits without it.
 */
export const accessibilityWeights: Readonly<Record<string, number>> = {
  ...weigh(
    10,
    ...['aria-allowed-attr', 'aria-hidden-body', 'aria-required-attr', 'aria-required-children'],
    ...['aria-required-parent', 'aria-valid-attr-value', 'aria-valid-attr', 'button-name'],
    ...['duplicate-id-aria', 'image-alt', 'input-button-name', 'input-image-alt', 'meta-refresh'],
    ...['meta-viewport', 'video-caption'],
  ),
  ...weigh(
    7,
    ...['accesskeys', 'aria-command-name', 'aria-conditional-attr', 'aria-dialog-name'],
    ...['aria-hidden-focus', 'aria-input-field-name', 'aria-meter-name', 'aria-progressbar-name'],
    ...['aria-prohibited-attr', 'aria-roles', 'aria-text', 'aria-toggle-field-name'],
    ...['aria-tooltip-name', 'aria-treeitem-name', 'bypass', 'color-contrast', 'definition-list'],
    ...['dlitem', 'document-title', 'frame-title', 'html-has-lang', 'html-lang-valid', 'label'],
    ...['link-in-text-block', 'link-name', 'list', 'listitem', 'object-alt', 'select-name'],
    ...['tabindex', 'target-size', 'td-headers-attr', 'th-has-data-cells', 'valid-lang'],
  ),
  ...weigh(3, 'form-field-multiple-labels', 'heading-order', 'html-xml-lang-mismatch', 'skip-link'),
  ...weigh(
    1,
    ...['aria-allowed-role', 'aria-deprecated-role', 'image-redundant-alt', 'table-duplicate-name'],
  ),
}

export const bestPracticeWeights = {
  'is-on-https': 5,
  deprecations: 5,
  'third-party-cookies': 5,
  'paste-preventing-inputs': 3,
  'geolocation-or-notification-on-start': 2,
  'image-aspect-ratio': 1,
  'image-size-responsive': 1,
  viewport: 1,
  'font-size': 1,
  doctype: 1,
  charset: 1,
  'errors-in-console': 1,
  'inspector-issues': 1,
} as const
export type BestPractice = keyof typeof bestPracticeWeights

function weigh(weight: number, ...audits: readonly string[]): Record<string, number> {
  return Object.fromEntries(audits.map((audit) => [audit, weight]))
}
