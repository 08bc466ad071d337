import { useLivePart } from '../hooks/use-live-value.ts'
import { useMediaQuery } from '../hooks/use-media-query.ts'
import { keptSettings } from './kept-settings.ts'

/** Does Enter send a message here? Left to the device, it does where there is a keyboard. */
export function useSendsOnEnter(): boolean {
  const choice = useLivePart(keptSettings, (settings) => settings.enterSends)
  const hasKeyboard = useMediaQuery('(hover: hover) and (pointer: fine)')
  return choice === 'auto' ? hasKeyboard : choice === 'always'
}
