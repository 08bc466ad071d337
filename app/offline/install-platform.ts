/** Does this page run as an installed app, in its own window? */
export function isInstalled(): boolean {
  return matchMedia('(display-mode: standalone)').matches || isStandaloneOnApple() === true
}

/**
 * iPhone and iPad browsers install only through the share menu. An iPad reports a Mac, with a touch
 * screen.
 */
export function needsHomeScreenHint(): boolean {
  const { userAgent, maxTouchPoints } = navigator
  const isIPad = userAgent.includes('Macintosh') && maxTouchPoints > 1
  return (/iPhone|iPad|iPod/.test(userAgent) || isIPad) && isStandaloneOnApple() === false
}

/** Safari's own property: absent elsewhere. */
function isStandaloneOnApple(): boolean | undefined {
  return (navigator as { standalone?: boolean }).standalone
}
