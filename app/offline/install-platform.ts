/** Whether this page runs as an installed app, in a window of its own. */
export function isInstalled(): boolean {
  return matchMedia('(display-mode: standalone)').matches || isStandaloneOnApple() === true
}

/** iPhone and iPad browsers install only by the share menu. An iPad says it is a Mac, with a touch screen. */
export function needsHomeScreenHint(): boolean {
  const { userAgent, maxTouchPoints } = navigator
  const isIPad = userAgent.includes('Macintosh') && maxTouchPoints > 1
  return (/iPhone|iPad|iPod/.test(userAgent) || isIPad) && isStandaloneOnApple() === false
}

/** Safari's own property: absent elsewhere. */
function isStandaloneOnApple(): boolean | undefined {
  return (navigator as { standalone?: boolean }).standalone
}
