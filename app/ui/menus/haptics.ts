/** A short tap under the finger, where the device can. Browsers refuse it before the first touch. */
export function tapFinger(): void {
  if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(10)
}
