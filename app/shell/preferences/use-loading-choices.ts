import { loadings, type Settings } from '../../../schema/settings.ts'
import { networkType } from '../../media/loading/network-type.ts'
import type { RadioChoiceProps } from '../../settings/radio-choice.tsx'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { useMessenger } from '../session/messenger-context.tsx'

const kinds = {
  loadPictures: 'Download pictures and voice messages',
  loadVideos: 'Download videos',
  loadFiles: 'Download documents',
} as const

const names: Record<Settings['loadPictures'], string> = {
  always: 'Always',
  wifi: 'On Wi-Fi',
  never: 'Never',
}

/** When media download automatically; offers Wi-Fi where the browser reports the network type. */
export function useLoadingChoices(): RadioChoiceProps[] {
  const { settings } = useMessenger()
  const values = useLiveValue(settings.values)
  const canTellWifi = useLiveValue(networkType) !== undefined
  const offered = loadings.filter((each) => each !== 'wifi' || canTellWifi)
  return (Object.keys(kinds) as (keyof typeof kinds)[]).map((kind) => ({
    legend: kinds[kind],
    options: offered.map((value) => ({ value, name: names[value] })),
    // Where nothing tells Wi-Fi from the rest, the rule loads.
    value: values[kind] === 'wifi' && !canTellWifi ? 'always' : values[kind],
    onChoose(value) {
      const chosen = loadings.find((each) => each === value)
      return chosen && settings.set({ [kind]: chosen })
    },
  }))
}
