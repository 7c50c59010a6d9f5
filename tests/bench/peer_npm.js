// SPDX-License-Identifier: BSD-3-Clause
// A subagent that uses the npm package net-snmp, for comparison: AgentX over TCP, a table
// like that of floor_agentx.c (ten columns, four index parts).
//
//   NODE_PATH=.../node_modules node peer_npm.js PORT ROWS [TABLE-OID]
//
// Prints "ready" when all rows exist.
'use strict';
const snmp = require('net-snmp');

const [port, rows] = process.argv.slice(2, 4).map(Number);
const table = process.argv[4] || '1.3.6.1.4.1.8072.9999.9999.97';
if (!port || !rows) {
	console.error('peer_npm: expected PORT and ROWS');
	process.exit(2);
}

const columns = [];
for (let number = 2; number <= 11; number++) {
	columns.push({
		number,
		name: `value${number}`,
		type: number % 2 ? snmp.ObjectType.Unsigned32 : snmp.ObjectType.Counter64,
		maxAccess: snmp.MaxAccess[number % 2 ? 'read-write' : 'read-only'],
	});
}
// Index columns come after the values, so that a walk of columns 2..11 does not reach them.
for (let part = 1; part <= 4; part++) {
	columns.push({
		number: 11 + part,
		name: `index${part}`,
		type: snmp.ObjectType.Unsigned32,
		maxAccess: snmp.MaxAccess['not-accessible'],
	});
}

const agent = snmp.createSubagent({ master: '127.0.0.1', masterPort: port });

function die(what) {
	return (error) => {
		if (!error) return;
		console.error(`peer_npm: ${what}: ${error.message || error}`);
		process.exit(1);
	};
}

agent.on('error', die('connection'));
agent.on('close', () => process.exit(0));
agent.open((error) => {
	die('open')(error);
	agent.registerProvider({
		name: 'bench',
		type: snmp.MibProviderType.Table,
		oid: `${table}.1`, // this package wants the entry
		maxAccess: snmp.MaxAccess['not-accessible'],
		tableColumns: columns,
		tableIndex: [1, 2, 3, 4].map((part) => ({ columnName: `index${part}` })),
	}, (refused) => {
		die('register')(refused);
		for (let i = 0; i < rows; i++) {
			const values = [];
			for (let c = 0; c < 10; c++) values.push(i * 10 + c);
			agent.getMib().addTableRow('bench',
				[...values, 1, Math.floor(i / 64) + 1, Math.floor(i / 8) % 8, i % 8]);
		}
		console.log('ready');
	});
});
