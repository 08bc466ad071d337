import type { OwnUser } from '../../schema/user.ts'

/** An operator's labels for a customer, in a module small enough for the first screen. */
export function listLabels(settings: OwnUser['settings'], contactId: string): readonly string[] {
  const labels = pick(pick(settings.whatsApp, 'labels'), contactId)
  return Array.isArray(labels) ? labels.filter((label) => typeof label === 'string') : []
}

function pick(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
}
