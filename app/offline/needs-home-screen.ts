/**
 * Is this a tab on an iPhone or iPad? There apps are installed through the share menu alone, and
 * only installed ones get notifications. An iPad reports a Mac, with a touch screen.
 */
export function needsHomeScreen(): boolean {
  const { userAgent, maxTouchPoints } = navigator
  const isIPad = userAgent.includes('Macintosh') && maxTouchPoints > 1
  return (/iPhone|iPad|iPod/.test(userAgent) || isIPad) && isStandaloneOnApple() === false
}

/** Safari's own property: absent elsewhere. */
export function isStandaloneOnApple(): boolean | undefined {
  return (navigator as { standalone?: boolean }).standalone
}
