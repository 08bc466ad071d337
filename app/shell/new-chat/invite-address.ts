/** A person's invite link: their id in it survives a change of name. */
export function inviteAddress(userId: string): string {
  return `${location.origin}/chat/new?to=${userId}`
}
