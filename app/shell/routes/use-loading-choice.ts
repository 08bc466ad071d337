import { chooseLoading, loadingChoice } from '../../media/loading/loading-choice.ts'
import { networkType } from '../../media/loading/network-type.ts'
import type { RadioChoiceProps } from '../../settings/radio-choice.tsx'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'

/**
 * This device's setting for automatic downloads of pictures and voice messages; offers Wi-Fi where
 * the browser reports the network type.
 */
export function useLoadingChoice(): RadioChoiceProps {
  const chosen = useLiveValue(loadingChoice)
  const canTellWifi = useLiveValue(networkType) !== undefined
  return {
    legend: 'Download pictures and voice messages',
    options: [
      { value: 'always', name: 'Always' },
      ...(canTellWifi ? [{ value: 'wifi', name: 'On Wi-Fi' }] : []),
      { value: 'never', name: 'Never' },
    ],
    value: chosen === 'wifi' && !canTellWifi ? 'always' : chosen,
    note: 'Videos and documents are downloaded when you ask for them.',
    onChoose: chooseLoading,
  }
}
