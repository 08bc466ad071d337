export interface Loss {
  /** Changes that the server does not have; undefined where they could not be counted. */
  unsentCount: number | undefined
  /** Chats with a draft. */
  draftCount: number
}

/** What logging out would lose, in words. */
export function describeLoss({ unsentCount, draftCount }: Loss): string {
  if (unsentCount === undefined) {
    return "Petrel couldn't check whether everything was sent. What wasn't, and your drafts, would be lost."
  }
  if (unsentCount === 0 && draftCount === 0) {
    return 'Your chats will be removed from this device and return when you sign in.'
  }
  const drafts = draftCount === 1 ? 'a draft in 1 chat' : `drafts in ${draftCount} chats`
  if (unsentCount === 0)
    return `You have ${drafts} that would be lost. Send or copy it first, or log out now.`
  const waiting = unsentCount === 1 ? "1 change hasn't" : `${unsentCount} changes haven't`
  const alsoDrafts = draftCount > 0 ? `, and you have ${drafts}. Both` : ' and'
  return `${waiting} been sent yet${alsoDrafts} would be lost. Wait until they are sent, or log out now.`
}

export function isLoss({ unsentCount, draftCount }: Loss): boolean {
  return unsentCount !== 0 || draftCount > 0
}
