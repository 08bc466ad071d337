const beyondAscii = /[\u007f-\uffff]/g

/** JSON as in Meta's webhooks: ASCII only, and every slash escaped. */
export function toWireJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('/', '\\/')
    .replace(beyondAscii, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
