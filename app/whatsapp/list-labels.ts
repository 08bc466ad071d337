import type { OwnUser } from '../../schema/user.ts'

/** What an operator calls a customer, read without the code that the first screen does not need. */
export function listLabels(settings: OwnUser['settings'], contactId: string): readonly string[] {
  const labels = pick(pick(settings.whatsApp, 'labels'), contactId)
  return Array.isArray(labels) ? labels.filter((label) => typeof label === 'string') : []
}

function pick(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
}
