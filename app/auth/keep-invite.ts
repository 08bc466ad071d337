/**
 * The navigation state that a registration keeps: an invite is meant for new people too. Whoever was
 * sent to sign in from any other place begins at the chats.
 */
export function keepInvite(state: unknown): unknown {
  const returnTo: unknown = typeof state === 'object' && state && Reflect.get(state, 'returnTo')
  return typeof returnTo === 'string' && returnTo.startsWith('/chat/new?') ? state : undefined
}
