import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { outdatedDevicesQuery } from "../../api/device-types.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Pager } from "../../ui/display/pager.tsx";
import { Notice } from "../../ui/display/status.tsx";
import { Table } from "../../ui/display/table.tsx";
import { Section } from "../../ui/page/page.tsx";

/** Devices that still publish on the former topics of the type, because the topics of a certificate never change. */
export function OutdatedDevices({ id }: { id: string }) {
  const [skip, setSkip] = useState(0);
  const query = useQuery(outdatedDevicesQuery(id, skip));
  return (
    <Section
      title="Devices with former topics"
      lead="The topics of a certificate never change. These devices get the present topics with their next renewal or bundle."
    >
      <Loaded query={query}>
        {(page) =>
          page.total === 0 ? (
            <Notice tone="good">Every live certificate of this type has its present topics.</Notice>
          ) : (
            <>
              <Table
                label="Devices with former topics"
                rows={page.items}
                rowKey={(device) => device.id}
                href={(device) => `/devices/${encodeURIComponent(device.id)}`}
                columns={[
                  { key: "name", title: "Device", main: true, cell: (device) => device.name || device.id },
                  { key: "id", title: "Device id", cell: (device) => <span className="mono">{device.id}</span> },
                  {
                    key: "certificates",
                    title: "Certificates",
                    cell: (device) =>
                      device.certificateIds.map((each, at) => (
                        <span key={each}>
                          {at > 0 && ", "}
                          <a className="mono" href={`/certificates/${each}`}>
                            {each.slice(-12)}
                          </a>
                        </span>
                      )),
                  },
                ]}
              />
              <Pager page={page} of="device" onSkip={setSkip} />
            </>
          )
        }
      </Loaded>
    </Section>
  );
}
