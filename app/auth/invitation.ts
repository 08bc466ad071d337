/** Where a person's and a group's links lead. */
const invites = ['/chat/new?', '/join/']

/**
 * The navigation state that a registration keeps: an invite is meant for new people too. Whoever was
 * sent to sign in from any other place begins at the chats.
 */
export function keepInvite(state: unknown): unknown {
  const returnTo: unknown = typeof state === 'object' && state && Reflect.get(state, 'returnTo')
  const isKept = typeof returnTo === 'string' && invites.some((path) => returnTo.startsWith(path))
  return isKept ? state : undefined
}

/**
 * The code of an invitation's link; behind its # it is in no server's log. A person's invite link
 * may have one too, and leads here through the sign-in.
 */
export function readInvitation({ hash, state }: { hash: string; state: unknown }): string {
  const { returnTo } = Object(keepInvite(state)) as { returnTo?: string }
  const ofInvite = returnTo?.split('#')[1]
  return new URLSearchParams(hash.slice(1) || ofInvite).get('invitation') ?? ''
}

/** Did a group's link lead to the sign-in? */
export function isJoining(state: unknown): boolean {
  const { returnTo } = Object(keepInvite(state)) as { returnTo?: string }
  return returnTo?.startsWith('/join/') ?? false
}
